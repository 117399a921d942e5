// Environment variables that a service manager sets for the process that it starts.
//
// Thread-safety: as std::getenv.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace surtitle {

// Returns the value of the variable, or nullopt if it is not set.
inline std::optional<std::string> env_var(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Returns the value of the variable, or nullopt if it is not set. Throws std::runtime_error if the
// value is not a whole number.
inline std::optional<std::int64_t> env_var_number(const char* name) {
  const std::optional<std::string> text = env_var(name);
  if (!text) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end) {
    throw std::runtime_error(std::string(name) + " must be a whole number, not '" + *text + "'");
  }
  return number;
}

}  // namespace surtitle
