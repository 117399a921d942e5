#include "policies/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace surtitle {
namespace {

// std::from_chars knows no locale, takes no leading white space and no plus sign.
template <typename Number>
bool parse_whole(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end;
}

}  // namespace

std::string shortest_number(float number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

PolicyParameters::PolicyParameters(std::string_view text) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      throw std::invalid_argument("parameters are written KEY=VALUE, found '" + std::string(part) +
                                  "'");
    }
    std::string key(part.substr(0, equals));
    const bool given_before = std::any_of(left_.begin(), left_.end(),
                                          [&](const auto& item) { return item.first == key; });
    if (given_before) {
      throw std::invalid_argument("parameter '" + key + "' is given twice");
    }
    left_.emplace_back(std::move(key), part.substr(equals + 1));
    if (comma == std::string_view::npos) {
      return;
    }
    text.remove_prefix(comma + 1);
  }
}

bool PolicyParameters::consume(std::string_view key, std::string& value) {
  const auto found =
      std::find_if(left_.begin(), left_.end(), [&](const auto& item) { return item.first == key; });
  if (found == left_.end()) {
    return false;
  }
  value = std::move(found->second);
  left_.erase(found);
  return true;
}

float PolicyParameters::consume_number(std::string_view key, float fallback) {
  std::string text;
  if (!consume(key, text)) {
    return fallback;
  }
  float number = 0;
  if (!parse_whole(text, number) || !std::isfinite(number)) {
    throw std::invalid_argument(std::string(key) + " must be a finite number, found '" + text +
                                "'");
  }
  return number;
}

int PolicyParameters::consume_whole_number(std::string_view key, int fallback) {
  std::string text;
  if (!consume(key, text)) {
    return fallback;
  }
  int number = 0;
  if (!parse_whole(text, number)) {
    throw std::invalid_argument(std::string(key) + " must be a whole number, found '" + text + "'");
  }
  return number;
}

void PolicyParameters::require_all_consumed() const {
  if (!left_.empty()) {
    throw std::invalid_argument("it has no parameter '" + left_.front().first + "'");
  }
}

}  // namespace surtitle
