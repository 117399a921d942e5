#include "tests/model/support/random_package.h"

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace surtitle {

Package random_package(const ModelConfig& config, const std::filesystem::path& folder) {
  std::mt19937 random(5);
  std::vector<std::vector<float>> values;
  std::vector<TensorView> tensors;
  const auto expected = expected_tensors(config);
  values.reserve(expected.size());
  for (const auto& tensor : expected) {
    std::size_t count = 1;
    for (const auto size : tensor.shape) count *= static_cast<std::size_t>(size);
    // The rows of a product then keep their size; gains are around 1, biases around 0.
    const bool matrix = tensor.shape.size() == 2;
    const bool gain = !matrix && tensor.name.ends_with("norm.weight");
    std::normal_distribution<float> normal(
        gain ? 1.0F : 0.0F,
        matrix ? 1.0F / std::sqrt(static_cast<float>(tensor.shape.back())) : 0.1F);
    auto& data = values.emplace_back(count);
    for (float& value : data) value = normal(random);
    tensors.push_back(
        {tensor.name, DType::kF32, tensor.shape, std::as_bytes(std::span<const float>(data))});
  }
  PackageDescription description;
  description.source_language = "de";
  description.target_language = "en";
  description.tokenizer = {TokenizerFiles::Type::kNone, "", ""};
  description.architecture = config;
  write_package(folder, description, tensors);
  return open_package(folder);
}

}  // namespace surtitle
