#include "daemon/recognisers/timed_line.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <stdexcept>

#include "daemon/base/json_parse.h"
#include "daemon/base/json_repair.h"
#include "daemon/recognisers/json_in_text.h"

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

json::value parse(const std::string& text) {
  boost::system::error_code error;
  json::value value = parse_lenient_json(text, error);
  if (error) {
    fail("the line is not valid JSON (" + error.message() + ")");
  }
  return value;
}

TimedLine logged_line(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) {
    fail("the line is not a JSON object");
  }
  TimedLine logged;
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

}  // namespace

TimedLine parse_timed_line(std::string_view line) { return logged_line(parse(repair_json(line))); }

std::vector<TimedLine> parse_logged_objects(std::string_view line) {
  const std::size_t object = find_object(line);
  const std::size_t open = object == line.npos ? line.find('{') : object;
  const std::size_t close = line.rfind('}');
  const std::size_t end = close == line.npos ? line.size() : std::max(open, close + 1);
  const json::value list = parse("[" + repair_json(line.substr(open, end - open)) + "]");
  std::vector<TimedLine> logged;
  for (const json::value& value : list.as_array()) {
    logged.push_back(logged_line(value));
  }
  return logged;
}

}  // namespace surtitle
