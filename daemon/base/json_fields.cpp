#include "daemon/base/json_fields.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <limits>

namespace surtitle {

namespace json = boost::json;

std::string JsonFields::text(std::string_view key) {
  const json::value* value = required(key, "text");
  if (value != nullptr && !value->is_string()) {
    fail(key, "text");
    value = nullptr;
  }
  return value == nullptr ? std::string() : std::string(value->get_string());
}

std::optional<std::string> JsonFields::optional_text(std::string_view key) {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

bool JsonFields::flag(std::string_view key) {
  const json::value* value = required(key, "true or false");
  if (value != nullptr && !value->is_bool()) {
    fail(key, "true or false");
    value = nullptr;
  }
  return value != nullptr && value->get_bool();
}

std::optional<bool> JsonFields::optional_flag(std::string_view key) {
  return has(key) ? std::optional(flag(key)) : std::nullopt;
}

std::optional<std::int64_t> JsonFields::optional_whole_number(std::string_view key) {
  return has(key) ? std::optional(whole_number(key)) : std::nullopt;
}

std::optional<double> JsonFields::optional_number(std::string_view key) {
  const json::value* value = given(key);
  // 1e999 is valid JSON and parsed as infinity.
  if (value != nullptr && !(value->is_number() && std::isfinite(value->to_number<double>()))) {
    fail(key, "a number");
    value = nullptr;
  }
  return value == nullptr ? std::nullopt : std::optional(value->to_number<double>());
}

double JsonFields::number(std::string_view key) {
  required(key, "a number");
  return optional_number(key).value_or(0.0);
}

std::int64_t JsonFields::whole_number(std::string_view key) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: doubles beyond it skip integers
  const json::value* value = required(key, "a whole number");
  if (value == nullptr) {
    return 0;
  }
  const double number = value->is_number() ? value->to_number<double>() : kExact;
  if (std::trunc(number) != number || std::abs(number) >= kExact) {
    fail(key, "a whole number below 2^53");
    return 0;
  }
  return static_cast<std::int64_t>(number);
}

int JsonFields::small_number(std::string_view key) {
  const std::int64_t number = whole_number(key);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    fail(key, "a whole number of 32 bits");
    return 0;
  }
  return static_cast<int>(number);
}

const json::object& JsonFields::object(std::string_view key) {
  static const json::object kEmpty;
  const json::value* value = required(key, "an object");
  if (value != nullptr && !value->is_object()) {
    fail(key, "an object");
    value = nullptr;
  }
  return value == nullptr ? kEmpty : value->get_object();
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  constexpr std::string_view kAllowed = "a list of texts";
  std::vector<std::string> list;
  if (const json::array* array = optional_array(key, kAllowed)) {
    for (const json::value& item : *array) {
      if (!item.is_string()) {
        fail(key, kAllowed);
        return {};
      }
      list.emplace_back(item.get_string());
    }
  }
  return list;
}

std::vector<std::vector<std::string>> JsonFields::text_lists(std::string_view key) {
  constexpr std::string_view kAllowed = "a list of lists of texts";
  std::vector<std::vector<std::string>> lists;
  if (const json::array* array = optional_array(key, kAllowed)) {
    for (const json::value& item : *array) {
      const json::array* texts = item.if_array();
      if (texts == nullptr ||
          !std::all_of(texts->begin(), texts->end(),
                       [](const json::value& one) { return one.is_string(); })) {
        fail(key, kAllowed);
        return {};
      }
      std::vector<std::string>& list = lists.emplace_back();
      for (const json::value& text : *texts) {
        list.emplace_back(text.get_string());
      }
    }
  }
  return lists;
}

std::vector<double> JsonFields::numbers(std::string_view key) {
  constexpr std::string_view kAllowed = "a list of numbers";
  std::vector<double> list;
  if (const json::array* array = optional_array(key, kAllowed)) {
    for (const json::value& item : *array) {
      if (item.is_null()) {
        continue;
      }
      if (!item.is_number() || !std::isfinite(item.to_number<double>())) {
        fail(key, kAllowed);
        return {};
      }
      list.push_back(item.to_number<double>());
    }
  }
  return list;
}

std::vector<const json::object*> JsonFields::objects(std::string_view key) {
  constexpr std::string_view kAllowed = "a list of objects";
  std::vector<const json::object*> list;
  if (const json::array* array = optional_array(key, kAllowed)) {
    for (const json::value& item : *array) {
      if (!item.is_object()) {
        fail(key, kAllowed);
        return {};
      }
      list.push_back(&item.get_object());
    }
  }
  return list;
}

const json::array* JsonFields::optional_array(std::string_view key, std::string_view allowed) {
  const json::value* value = given(key);
  if (value != nullptr && !value->is_array()) {
    fail(key, allowed);
    value = nullptr;
  }
  return value == nullptr ? nullptr : &value->get_array();
}

bool JsonFields::is_text(std::string_view key) const {
  const json::value* value = given(key);
  return value != nullptr && value->is_string();
}

const json::value* JsonFields::given(std::string_view key) const {
  const json::value* value = object_.if_contains(key);
  return value != nullptr && value->is_null() ? nullptr : value;
}

const json::value* JsonFields::required(std::string_view key, std::string_view allowed) {
  const json::value* value = given(key);
  if (value == nullptr && !error_) {
    error_ = "field '" + std::string(key) + "' of " + std::string(owner_) +
             " is missing; it must be " + std::string(allowed);
  }
  return value;
}

void JsonFields::fail(std::string_view key, std::string_view allowed) {
  if (!error_) {
    error_ = "field '" + std::string(key) + "' of " + std::string(owner_) + " must be " +
             std::string(allowed);
  }
}

void JsonFields::adopt_error(const JsonFields& inner) {
  if (!error_) {
    error_ = inner.error_;
  }
}

}  // namespace surtitle
