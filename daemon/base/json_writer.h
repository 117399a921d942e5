// Writes one flat JSON object, field by field.
//
// Numbers are written in the shortest form that reads back the same. NaN and infinities become
// null, because JSON has none. REQUIRES: strings are valid UTF-8.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class JsonWriter {
 public:
  JsonWriter& field(std::string_view key, std::string_view text);
  JsonWriter& field(std::string_view key, const char* text);
  JsonWriter& field(std::string_view key, bool value);
  JsonWriter& field(std::string_view key, int value);
  JsonWriter& field(std::string_view key, std::int64_t value);
  JsonWriter& field(std::string_view key, double value);
  JsonWriter& field(std::string_view key, const std::optional<double>& value);  // null if empty
  // Write nothing if the value is empty.
  JsonWriter& optional_field(std::string_view key, const std::optional<std::string>& text);
  JsonWriter& optional_field(std::string_view key, const std::optional<double>& value);
  JsonWriter& optional_field(std::string_view key, const std::optional<std::int64_t>& value);
  // `json` is the text of any JSON value.
  JsonWriter& raw_field(std::string_view key, std::string_view json);

  // Closes the object and returns it. The writer is empty afterwards.
  std::string finish();

 private:
  void begin(std::string_view key);

  std::string text_ = "{";
};

// Returns `text` in quotes, escaped.
std::string json_string(std::string_view text);

std::string json_number(double value);
std::string json_number(float value);

// Returns an array. `to_json` returns the JSON text of an item.
template <typename Items, typename ToJson>
std::string json_array(const Items& items, const ToJson& to_json) {
  std::string array = "[";
  for (const auto& item : items) {
    array += array.size() > 1 ? "," : "";
    array += to_json(item);
  }
  return array + "]";
}

// Returns an array of floating-point numbers.
template <typename Numbers>
std::string json_array(const Numbers& numbers) {
  return json_array(numbers, [](const auto& number) { return json_number(number); });
}

}  // namespace surtitle
