#include "metrics/json_number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace surtitle {

std::string json_number(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) {
    return "null";
  }
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), *number);
  return {text.data(), written.ptr};
}

}  // namespace surtitle
