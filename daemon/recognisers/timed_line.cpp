#include "daemon/recognisers/timed_line.h"

#include <boost/json.hpp>
#include <cmath>
#include <stdexcept>

#include "daemon/base/json_parse.h"
#include "daemon/recognisers/json_repair.h"

namespace surtitle {
namespace {

namespace json = boost::json;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what +
                           R"(; expected an object such as {"time": 1.25, "text": "Guten"})");
}

// Returns the field, or nullptr if it is absent or null.
const json::value* field(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace

LoggedLine parse_logged_line(std::string_view line) {
  boost::system::error_code error;
  const json::value value = parse_lenient_json(repair_json(line), error);
  if (error) {
    fail("the line is not valid JSON (" + error.message() + ")");
  }
  const json::object* object = value.if_object();
  if (object == nullptr) {
    fail("the line is not a JSON object");
  }
  LoggedLine logged;
  if (!object->contains("text")) {
    fail("field text is missing");
  }
  if (const json::value* text = field(*object, "text")) {
    if (!text->is_string()) {
      fail("field text must be text");
    }
    logged.text = text->get_string();
  }
  if (const json::value* time = field(*object, "time")) {
    if (!time->is_number() || !(time->to_number<double>() >= 0) ||
        !std::isfinite(time->to_number<double>())) {
      fail("field time must be a number of seconds, 0 or more");
    }
    logged.time = time->to_number<double>();
  }
  if (const json::value* final = field(*object, "final")) {
    if (!final->is_bool()) {
      fail("field final must be true or false");
    }
    logged.final = final->get_bool();
  }
  return logged;
}

}  // namespace surtitle
