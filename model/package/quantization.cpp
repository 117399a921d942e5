#include "model/package/quantization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/package/tensor_values.h"
#include "model/util/row_quantization.h"

namespace surtitle {
namespace {

// Returns true for the matrices that the 8-bit engine multiplies, and for the embeddings.
// Parameters of a cross-attention are not quantized: they are small and decide when to write.
bool is_quantized(const TensorView& tensor) {
  constexpr std::array<std::string_view, 6> kSuffixes{
      "embed_tokens.weight", "output_projection.weight",
      "in_proj_weight",      "out_proj.weight",
      "fc1.weight",          "fc2.weight"};
  return tensor.shape.size() == 2 && tensor.dtype != DType::kI8 &&
         std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return tensor.name.ends_with(suffix); });
}

struct QuantizedMatrix {
  std::vector<std::int8_t> bytes;  // [rows, columns]
  std::vector<float> scales;       // [rows]
};

// Rounds bytes of a row to the nearest of 2^bits - 1 levels. The largest magnitude stays 127.
void round_to_levels(std::span<std::int8_t> bytes, int bits) {
  const auto top = static_cast<float>((1 << (bits - 1)) - 1);
  for (std::int8_t& byte : bytes) {
    const float level = std::round(static_cast<float>(byte) * top / 127);
    byte = static_cast<std::int8_t>(std::round(level * 127 / top));
  }
}

QuantizedMatrix quantize(const std::vector<float>& values, std::size_t columns, int bits) {
  QuantizedMatrix matrix{.bytes = std::vector<std::int8_t>(values.size()), .scales = {}};
  for (std::size_t begin = 0; begin < values.size(); begin += columns)
    matrix.scales.push_back(quantize_row(std::span(values).subspan(begin, columns),
                                         std::span(matrix.bytes).subspan(begin, columns)));
  round_to_levels(matrix.bytes, bits);
  return matrix;
}

}  // namespace

void write_quantized_package(const Package& package, const std::filesystem::path& folder,
                             int bits) {
  if (std::filesystem::exists(folder) && std::filesystem::equivalent(folder, package.folder))
    throw std::runtime_error(folder.string() +
                             ": is the package itself; the output must be another folder");
  std::deque<QuantizedMatrix> matrices;  // the views below point into these
  std::vector<TensorView> tensors;
  for (const TensorView& tensor : package.weights.tensors()) {
    if (!is_quantized(tensor)) {
      tensors.push_back(tensor);
      continue;
    }
    const QuantizedMatrix& matrix = matrices.emplace_back(
        quantize(float_values(tensor), static_cast<std::size_t>(tensor.shape.back()), bits));
    tensors.push_back(
        {tensor.name, DType::kI8, tensor.shape, std::as_bytes(std::span(matrix.bytes))});
    tensors.push_back({tensor.name + std::string(kScaleSuffix),
                       DType::kF32,
                       {tensor.shape.front()},
                       std::as_bytes(std::span(matrix.scales))});
  }
  write_package(folder, package.description, tensors, package.weights.metadata());
  for (const auto& entry : std::filesystem::directory_iterator(package.folder)) {
    const auto name = entry.path().filename();
    if (entry.is_regular_file() && name != kDescriptionFile && name != kWeightsFile)
      std::filesystem::copy_file(entry.path(), folder / name,
                                 std::filesystem::copy_options::overwrite_existing);
  }
}

}  // namespace surtitle
