#include "daemon/base/json_repair.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr std::string_view kReplacement = "\\ufffd";

bool is_of_scalar(char c) {
  return is_digit(c) || is_letter(c) || c == '-' || c == '+' || c == '.';
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_no_number(std::string_view scalar) {
  if (scalar.starts_with('-') || scalar.starts_with('+')) {
    scalar.remove_prefix(1);
  }
  return scalar == "nan" || scalar == "inf" || scalar == "NaN" || scalar == "Infinity";
}

// "\u001b"
std::string escaped(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("\\u00") + kHex[byte >> 4U] + kHex[byte & 15U];
}

}  // namespace

void JsonRepair::add(char c, std::string& out) {
  if (in_text_) {
    add_to_text(c, out);
  } else if (is_of_scalar(c)) {
    scalar_ += c;
  } else {
    end_scalar(out);
    out += c == '\0' || c == '\b' ? ' ' : c;
    in_text_ = c == '"';
  }
}

void JsonRepair::finish(std::string& out) { end_scalar(out); }

void JsonRepair::add_to_text(char c, std::string& out) {
  if (!escape_.empty()) {
    add_to_escape(c, out);
  } else if (c == '\\') {
    escape_ = c;
  } else {
    release_high(out);
    in_text_ = c != '"';
    out += static_cast<unsigned char>(c) < 0x20 ? escaped(c) : std::string(1, c);
  }
}

void JsonRepair::add_to_escape(char c, std::string& out) {
  const bool is_first = escape_.size() == 1;
  if (is_first ? c == 'u' : is_hex(c)) {
    escape_ += c;
    if (escape_.size() == 6) {
      end_unit(out);
    }
    return;
  }
  release_high(out);
  if (is_first && std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) {
    out += std::exchange(escape_, {}) + c;
    return;
  }
  const std::string rest = std::exchange(escape_, {}).substr(1) + c;
  out += "\\\\";
  for (const char of_rest : rest) {
    add_to_text(of_rest, out);
  }
}

// A unit of UTF-16 is complete.
void JsonRepair::end_unit(std::string& out) {
  std::string unit = std::exchange(escape_, {});
  int value = 0;
  std::from_chars(unit.data() + 2, unit.data() + unit.size(), value, 16);
  if (value >= 0xDC00 && value < 0xE000) {
    out += high_.empty() ? std::string(kReplacement) : std::exchange(high_, {}) + unit;
  } else {
    release_high(out);
    (value >= 0xD800 && value < 0xDC00 ? high_ : out) += unit;
  }
}

void JsonRepair::end_scalar(std::string& out) {
  if (!scalar_.empty()) {
    out += is_no_number(scalar_) ? "null" : scalar_;
    scalar_.clear();
  }
}

void JsonRepair::release_high(std::string& out) {
  if (!std::exchange(high_, {}).empty()) {
    out += kReplacement;
  }
}

std::string repair_json(std::string_view text) {
  JsonRepair repair;
  std::string repaired;
  for (const char c : text) {
    repair.add(c, repaired);
  }
  repair.finish(repaired);
  return repaired;
}

std::string repair_json_lines(std::string_view lines) {
  std::string repaired;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    repaired += repair_json(lines.substr(0, end));
    repaired += lines.substr(end, 1);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return repaired;
}

}  // namespace surtitle
