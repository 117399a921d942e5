#include "daemon/recognisers/timed_line.h"

#include <boost/json.hpp>
#include <cmath>
#include <stdexcept>

#include "daemon/base/json_parse.h"

namespace surtitle {
namespace {

namespace json = boost::json;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what +
                           R"(; expected an object such as {"time": 1.25, "text": "Guten"})");
}

}  // namespace

LoggedLine parse_logged_line(std::string_view line, const std::string& where) {
  boost::system::error_code error;
  const json::value value = parse_json(line, error);
  if (error) {
    fail(where, "the line is not valid JSON (" + error.message() + ")");
  }
  const json::object* object = value.if_object();
  if (object == nullptr) {
    fail(where, "the line is not a JSON object");
  }
  LoggedLine logged;
  const json::value* text = object->if_contains("text");
  if (text == nullptr || !text->is_string()) {
    fail(where, std::string("field text ") + (text == nullptr ? "is missing" : "must be text"));
  }
  logged.text = text->get_string();
  if (const json::value* time = object->if_contains("time")) {
    if (!time->is_number() || !(time->to_number<double>() >= 0) ||
        !std::isfinite(time->to_number<double>())) {
      fail(where, "field time must be a number of seconds, 0 or more");
    }
    logged.time = time->to_number<double>();
  }
  if (const json::value* final = object->if_contains("final")) {
    if (!final->is_bool()) {
      fail(where, "field final must be true or false");
    }
    logged.final = final->get_bool();
  }
  return logged;
}

}  // namespace surtitle
