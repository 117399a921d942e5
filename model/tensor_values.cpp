#include "model/tensor_values.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace surtitle {
namespace {

float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace

std::vector<float> float_values(const TensorView& tensor) {
  std::vector<float> values(tensor.data.size() / byte_size(tensor.dtype));
  if (tensor.dtype == DType::kF32) {
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }
  const auto value_of = tensor.dtype == DType::kF16 ? half_value : bfloat16_value;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, tensor.data.data() + i * sizeof(bits), sizeof(bits));
    values[i] = value_of(bits);
  }
  return values;
}

}  // namespace surtitle
