#include "daemon/base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace surtitle {
namespace {

template <typename Number>
std::string shortest(Number value) {
  if (!std::isfinite(value)) {
    return "null";
  }
  if (value == 0) {
    return "0";  // "-0" would be read back as a whole number, without its sign
  }
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_string(out, text);
  return out;
}

std::string json_number(double value) { return shortest(value); }
std::string json_number(float value) { return shortest(value); }

void JsonWriter::begin(std::string_view key) {
  if (text_.size() > 1) {
    text_ += ',';
  }
  append_string(text_, key);
  text_ += ':';
}

JsonWriter& JsonWriter::field(std::string_view key, std::string_view text) {
  begin(key);
  append_string(text_, text);
  return *this;
}

JsonWriter& JsonWriter::field(std::string_view key, const char* text) {
  return field(key, std::string_view(text));
}

JsonWriter& JsonWriter::field(std::string_view key, bool value) {
  return raw_field(key, value ? "true" : "false");
}

JsonWriter& JsonWriter::field(std::string_view key, int value) {
  return field(key, static_cast<std::int64_t>(value));
}

JsonWriter& JsonWriter::field(std::string_view key, std::int64_t value) {
  return raw_field(key, std::to_string(value));
}

JsonWriter& JsonWriter::field(std::string_view key, double value) {
  return raw_field(key, json_number(value));
}

JsonWriter& JsonWriter::field(std::string_view key, const std::optional<double>& value) {
  return value ? field(key, *value) : raw_field(key, "null");
}

JsonWriter& JsonWriter::optional_field(std::string_view key,
                                       const std::optional<std::string>& text) {
  return text ? field(key, std::string_view(*text)) : *this;
}

JsonWriter& JsonWriter::optional_field(std::string_view key, const std::optional<double>& value) {
  return value ? field(key, *value) : *this;
}

JsonWriter& JsonWriter::optional_field(std::string_view key,
                                       const std::optional<std::int64_t>& value) {
  return value ? field(key, *value) : *this;
}

JsonWriter& JsonWriter::raw_field(std::string_view key, std::string_view json) {
  begin(key);
  text_ += json;
  return *this;
}

std::string JsonWriter::finish() {
  text_ += '}';
  return std::exchange(text_, "{");
}

}  // namespace surtitle
