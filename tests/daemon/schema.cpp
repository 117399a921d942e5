#include "tests/daemon/schema.h"

#include <algorithm>
#include <boost/json.hpp>
#include <regex>
#include <vector>

namespace surtitle {
namespace {

namespace json = boost::json;

bool has_type(const json::value& value, const std::string& type) {
  if (type == "integer") {
    return value.is_int64() || value.is_uint64();
  }
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
         (type == "boolean" && value.is_bool()) || (type == "null" && value.is_null());
}

bool has_type(const json::value& value, const YAML::Node& types) {
  if (types.IsScalar()) {
    return has_type(value, types.Scalar());
  }
  return std::any_of(types.begin(), types.end(),
                     [&](const YAML::Node& type) { return has_type(value, type.Scalar()); });
}

// All rules of the document that look at one value alone.
bool keeps(const std::string& keyword, const YAML::Node& rule, const json::value& value) {
  if (keyword == "type") {
    return has_type(value, rule);
  }
  if (keyword == "enum") {
    return value.is_string() &&
           std::any_of(rule.begin(), rule.end(), [&](const YAML::Node& allowed) {
             return allowed.Scalar() == std::string_view(value.get_string());
           });
  }
  if (keyword == "minimum") {
    return !value.is_number() || value.to_number<double>() >= rule.as<double>();
  }
  if (keyword == "minLength") {
    return !value.is_string() || value.get_string().size() >= rule.as<std::size_t>();
  }
  if (keyword == "pattern") {
    return !value.is_string() ||
           std::regex_search(value.get_string().c_str(), std::regex(rule.Scalar()));
  }
  return keyword == "description";
}

}  // namespace

AsyncApi::AsyncApi()
    : document_(YAML::LoadFile(SURTITLE_SOURCE_DIR "/daemon/surtitle.v1.asyncapi.yaml")) {}

const AsyncApi& AsyncApi::get() {
  static const AsyncApi api;
  return api;
}

// Follows "$ref: '#/a/b'" as far as it leads.
YAML::Node AsyncApi::resolve(const YAML::Node& node) const {
  if (!node.IsMap() || !node["$ref"]) {
    return node;
  }
  const std::string reference = node["$ref"].Scalar();
  YAML::Node target = YAML::Clone(document_);
  for (std::size_t begin = 2; begin <= reference.size();) {
    const std::size_t end = std::min(reference.find('/', begin), reference.size());
    target.reset(target[reference.substr(begin, end - begin)]);
    begin = end + 1;
  }
  return resolve(target);
}

std::string AsyncApi::violation(const std::string& operation, std::string_view text) const {
  boost::system::error_code error;
  const json::value message = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !message.is_object() || !message.get_object().contains("type")) {
    return "not an object with a type";
  }
  const std::string type(message.at("type").as_string());
  const YAML::Node& document = document_;
  for (const YAML::Node& reference : document["operations"][operation]["messages"]) {
    const YAML::Node schema = resolve(resolve(reference)["payload"]);
    const YAML::Node& properties = schema["properties"];
    if (properties["type"]["enum"][0].Scalar() == type) {
      return check(schema, message, type);
    }
  }
  return "type " + type + " is not a message of " + operation;
}

std::string AsyncApi::check(const YAML::Node& schema, const json::value& value,
                            const std::string& where) const {
  for (const auto& entry : resolve(schema)) {
    const std::string wrong = check_keyword(entry.first.Scalar(), entry.second, value, where);
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string AsyncApi::check_keyword(const std::string& keyword, const YAML::Node& rule,
                                    const json::value& value, const std::string& where) const {
  if (keyword == "properties") {
    return check_properties(rule, value, where);
  }
  if (keyword == "required") {
    for (const YAML::Node& name : rule) {
      if (!value.is_object() || !value.get_object().contains(name.Scalar())) {
        return where + " lacks " + name.Scalar();
      }
    }
    return "";
  }
  if (keyword == "items") {
    for (const json::value& item : value.as_array()) {
      const std::string wrong = check(rule, item, where + "[]");
      if (!wrong.empty()) {
        return wrong;
      }
    }
    return "";
  }
  return keeps(keyword, rule, value) ? "" : where + " breaks " + keyword;
}

// A field that the document does not name is as wrong as one of a wrong type.
std::string AsyncApi::check_properties(const YAML::Node& properties, const json::value& value,
                                       const std::string& where) const {
  if (!value.is_object()) {
    return "";
  }
  for (const json::key_value_pair& field : value.get_object()) {
    const std::string name(field.key());
    const YAML::Node schema = properties[name];
    const std::string wrong = schema ? check(schema, field.value(), where + "." + name)
                                     : where + " has the unknown field " + name;
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

}  // namespace surtitle
