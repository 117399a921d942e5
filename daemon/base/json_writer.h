// Writes one flat JSON object after the other fields of it came, in order.
//
// Numbers take their shortest spelling that reads back the same; not-a-number and infinities become
// null, as JSON has none. Strings must be valid UTF-8. Thread-safety: none; one owner.
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
  JsonWriter& field(std::string_view key, const std::optional<double>& value);  // null where empty
  // Nothing is written where empty.
  JsonWriter& optional_field(std::string_view key, const std::optional<std::string>& text);
  JsonWriter& optional_field(std::string_view key, const std::optional<double>& value);
  JsonWriter& optional_field(std::string_view key, const std::optional<std::int64_t>& value);
  // `json` is an object or array already written.
  JsonWriter& raw_field(std::string_view key, std::string_view json);

  // Closes the object and returns it. The writer is empty afterwards.
  std::string finish();

 private:
  void begin(std::string_view key);

  std::string text_ = "{";
};

// `text` in quotes, escaped.
std::string json_string(std::string_view text);

std::string json_number(double value);
std::string json_number(float value);

// An array of what `to_json` makes of each item.
template <typename Items, typename ToJson>
std::string json_array(const Items& items, const ToJson& to_json) {
  std::string array = "[";
  for (const auto& item : items) {
    array += array.size() > 1 ? "," : "";
    array += to_json(item);
  }
  return array + "]";
}

// Of numbers with a fraction.
template <typename Numbers>
std::string json_array(const Numbers& numbers) {
  return json_array(numbers, [](const auto& number) { return json_number(number); });
}

}  // namespace surtitle
