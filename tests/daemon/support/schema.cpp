#include "tests/daemon/support/schema.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json.hpp>
#include <regex>

namespace surtitle {
namespace {

namespace json = boost::json;

json::value to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json::object object;
    for (const auto& entry : node) {
      object[entry.first.Scalar()] = to_json(entry.second);
    }
    return object;
  }
  if (node.IsSequence()) {
    json::array array;
    for (const YAML::Node& item : node) {
      array.push_back(to_json(item));
    }
    return array;
  }
  double number = 0;
  const bool quoted = node.Tag() == "!";
  return !quoted && YAML::convert<double>::decode(node, number) ? json::value(number)
                                                                : json::value(node.Scalar());
}

bool has_type(const json::value& value, std::string_view type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
         (type == "integer" && (value.is_int64() || value.is_uint64())) ||
         (type == "boolean" && value.is_bool()) || (type == "null" && value.is_null());
}

bool has_one_of_types(const json::value& value, const json::value& types) {
  if (types.is_string()) {
    return has_type(value, types.get_string());
  }
  const json::array& list = types.as_array();
  return std::any_of(list.begin(), list.end(),
                     [&](const json::value& type) { return has_type(value, type.as_string()); });
}

// Checks the rules that concern one value alone.
bool keeps(std::string_view keyword, const json::value& rule, const json::value& value) {
  if (keyword == "type") {
    return has_one_of_types(value, rule);
  }
  if (keyword == "enum") {
    const json::array& allowed = rule.as_array();
    return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
  }
  if (keyword == "minimum") {
    return !value.is_number() || value.to_number<double>() >= rule.as_double();
  }
  if (keyword == "maximum") {
    return !value.is_number() || value.to_number<double>() <= rule.as_double();
  }
  if (keyword == "minLength") {
    return !value.is_string() || static_cast<double>(value.get_string().size()) >= rule.as_double();
  }
  if (keyword == "maxLength") {  // in characters
    return !value.is_string() ||
           std::count_if(value.get_string().begin(), value.get_string().end(), [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
           }) <= rule.as_double();
  }
  if (keyword == "pattern") {
    return !value.is_string() ||
           std::regex_search(value.get_string().c_str(), std::regex(rule.as_string().c_str()));
  }
  if (keyword == "maxItems") {
    return !value.is_array() || static_cast<double>(value.get_array().size()) <= rule.as_double();
  }
  return keyword == "description" || keyword == "items";  // "items" of a value that is no array
}

}  // namespace

AsyncApi::AsyncApi()
    : document_(to_json(
          YAML::LoadFile(SURTITLE_SOURCE_DIR "/daemon/protocol/surtitle.v1.asyncapi.yaml"))) {}

const AsyncApi& AsyncApi::get() {
  static const AsyncApi api;
  return api;
}

// Follows {"$ref": "#/a/b"} as far as it leads.
const json::value& AsyncApi::resolve(const json::value& node) const {
  const json::value* reference = node.is_object() ? node.get_object().if_contains("$ref") : nullptr;
  return reference == nullptr
             ? node
             : resolve(document_.at_pointer(std::string_view(reference->as_string()).substr(1)));
}

std::string AsyncApi::violation(std::string_view operation, std::string_view text) const {
  boost::system::error_code error;
  const json::value message = json::parse(text, error);
  if (error || !message.is_object() || !message.get_object().contains("type")) {
    return "not an object with a type";
  }
  const json::value& messages = document_.at("operations").at(operation).at("messages");
  for (const json::value& reference : messages.as_array()) {
    const json::value& schema = resolve(resolve(reference).at("payload"));
    if (schema.at_pointer("/properties/type/enum/0") == message.at("type")) {
      return check(schema, message, std::string(message.at("type").as_string()));
    }
  }
  return "its type is not of " + std::string(operation);
}

std::string AsyncApi::check(const json::value& schema, const json::value& value,
                            const std::string& where) const {
  for (const json::key_value_pair& entry : resolve(schema).as_object()) {
    std::string wrong = check_keyword(entry.key(), entry.value(), value, where);
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string AsyncApi::check_keyword(std::string_view keyword, const json::value& rule,
                                    const json::value& value, const std::string& where) const {
  if (keyword == "properties") {
    return check_properties(rule, value, where);
  }
  if (keyword == "required") {
    for (const json::value& name : rule.as_array()) {
      if (!value.is_object() || !value.get_object().contains(name.as_string())) {
        return where + " lacks " + std::string(name.as_string());
      }
    }
    return "";
  }
  if (keyword == "items" && value.is_array()) {
    for (const json::value& item : value.as_array()) {
      std::string wrong = check(rule, item, where + "[]");
      if (!wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }
  return keeps(keyword, rule, value) ? "" : where + " breaks " + std::string(keyword);
}

// A field that the document does not name is a violation, too.
std::string AsyncApi::check_properties(const json::value& properties, const json::value& value,
                                       const std::string& where) const {
  if (!value.is_object()) {
    return "";
  }
  for (const json::key_value_pair& field : value.get_object()) {
    const json::value* schema = properties.as_object().if_contains(field.key());
    const std::string name = where + "." + std::string(field.key());
    std::string wrong =
        schema != nullptr ? check(*schema, field.value(), name) : name + " is an unknown field";
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

}  // namespace surtitle
