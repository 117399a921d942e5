// Reads a YAML map strictly: only fields that were read are allowed.
//
// Every error is a std::runtime_error of one line, "FILE:LINE: what is wrong; what is allowed".
//
// Thread-safety: none; one owner of each document.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace surtitle {

// Returns the one document of `file`, or a null node if it is empty. Errors of YAML's syntax name
// the line.
YAML::Node load_yaml(const std::filesystem::path& file);

// Returns the one document of `text`; `file` names its source in messages.
YAML::Node parse_yaml(const std::string& text, const std::string& file);

// Throws a one-line error at `at` of `file`; control characters in `message` become '?'.
[[noreturn]] void fail_at(const std::string& file, const YAML::Mark& at,
                          const std::string& message);
[[noreturn]] void fail_at(const std::string& file, const YAML::Node& at,
                          const std::string& message);

// A value and its name in YAML.
template <typename Value>
struct Named {
  const char* name;
  Value value;
};

template <typename Value, std::size_t N>
const char* name_of(Value value, const std::array<Named<Value>, N>& names) {
  for (const auto& choice : names) {
    if (choice.value == value) return choice.name;
  }
  return "";
}

class YamlMap {
 public:
  // `file` names the source in messages. Throws if the node is not a map.
  YamlMap(const YAML::Node& node, std::string file);

  bool has(const std::string& field);

  // Returns the field's node; throws if it is missing.
  YAML::Node node(const std::string& field);

  template <typename T>
  T get(const std::string& field) {
    const auto value = node(field);
    return convert<T>(value, field);
  }

  template <typename T>
  void get_if_there(const std::string& field, T& value) {
    if (has(field)) value = get<T>(field);
  }

  // Reads a number; throws if it is outside [low, high].
  template <typename T>
  void get_if_there(const std::string& field, T& value, T low, T high) {
    if (!has(field)) return;
    value = get<T>(field);
    if (!(value >= low && value <= high))
      fail(node(field), "'" + field + "' is " + node(field).Scalar() + "; allowed: " + number(low) +
                            " to " + number(high));
  }

  // Reads one of the named values if the field is there; throws for any other value.
  template <typename Value, std::size_t N>
  void get_named_if_there(const std::string& field, Value& value,
                          const std::array<Named<Value>, N>& names) {
    if (!has(field)) return;
    const auto text = get<std::string>(field);
    std::string allowed;
    for (const auto& choice : names) {
      if (text == choice.name) {
        value = choice.value;
        return;
      }
      allowed.append(allowed.empty() ? "" : ", ").append(choice.name);
    }
    fail(node(field), "'" + field + "' is " + text + "; allowed: " + allowed);
  }

  // Reads a list of one or more names; throws if it is empty or a name is unknown or repeated.
  template <typename Value>
  void get_names_if_there(const std::string& field, std::vector<Value>& values,
                          std::optional<Value> (*by_name)(std::string_view),
                          const std::string& allowed) {
    if (!has(field)) return;
    values.clear();
    for (const auto& name : get<std::vector<std::string>>(field)) {
      const std::optional<Value> value = by_name(name);
      if (!value || std::find(values.begin(), values.end(), *value) != values.end())
        reject_names(field, "has " + name, allowed);
      values.push_back(*value);
    }
    if (values.empty()) reject_names(field, "is empty", allowed);
  }

  // Throws if the map has a field that was neither read nor tested with has().
  void reject_unknown() const;

  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const;

 private:
  [[noreturn]] void reject_names(const std::string& field, const std::string& what,
                                 const std::string& allowed);
  template <typename T>
  T convert(const YAML::Node& value, const std::string& field) const {
    try {
      return value.as<T>();
    } catch (const YAML::Exception&) {
      const std::string found = value.IsScalar()     ? value.Scalar()
                                : value.IsSequence() ? "a list"
                                : value.IsMap()      ? "a map"
                                                     : "empty";
      fail(value, "'" + field + "' is " + found + "; allowed: " + kind<T>());
    }
  }

  // The values of a field of this type, for messages.
  template <typename T>
  static constexpr const char* kind() {
    if constexpr (std::is_same_v<T, bool>)
      return "true or false";
    else if constexpr (std::is_integral_v<T>)
      return std::is_signed_v<T> ? "a whole number" : "a whole number from 0 on";
    else if constexpr (std::is_floating_point_v<T>)
      return "a number";
    else if constexpr (std::is_same_v<T, std::string>)
      return "text";
    else
      return std::is_integral_v<typename T::value_type> ? "a list of whole numbers"
                                                        : "a list of texts";
  }

  static std::string number(double value);

  YAML::Node node_;
  std::string file_;
  std::vector<std::string> asked_;  // fields that were read or tested with has()
};

}  // namespace surtitle
