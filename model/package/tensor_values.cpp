#include "model/package/tensor_values.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace surtitle {
namespace {

// The bits in the positions of a float32 are the number times 2^-112, also for subnormal numbers.
float half_value(std::uint16_t bits) {
  const auto magnitude =
      std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0x7FFF) << 13) * 0x1p112F;
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
  const auto convert = [&](auto value_of) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t bits;
      std::memcpy(&bits, tensor.data.data() + i * sizeof(bits), sizeof(bits));
      values[i] = value_of(bits);
    }
  };
  if (tensor.dtype == DType::kF16) {
    convert([](std::uint16_t bits) { return half_value(bits); });
  } else {
    convert([](std::uint16_t bits) { return bfloat16_value(bits); });
  }
  return values;
}

std::vector<float> float_values(const SafetensorsFile& file, const std::string& name) {
  const TensorView& tensor = *file.find(name);
  if (tensor.dtype != DType::kI8) return float_values(tensor);
  const std::vector<float> scales = float_values(*file.find(name + std::string(kScaleSuffix)));
  const std::size_t columns = tensor.data.size() / std::max<std::size_t>(scales.size(), 1);
  std::vector<float> values(tensor.data.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = scales[i / columns] * static_cast<float>(static_cast<std::int8_t>(tensor.data[i]));
  return values;
}

}  // namespace surtitle
