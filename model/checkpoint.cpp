#include "model/checkpoint.h"

#include <stdexcept>
#include <vector>

namespace surtitle {
namespace {

constexpr const char* kValues = "values";
constexpr const char* kFirst = "first_moment";
constexpr const char* kSecond = "second_moment";

TensorView view_of(const std::string& name, DType dtype, const torch::Tensor& tensor) {
  return {name,
          dtype,
          tensor.sizes().vec(),
          {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()}};
}

torch::Tensor read_flat(const SafetensorsFile& file, const char* name) {
  const auto* view = file.find(name);
  if (!view || view->dtype != DType::kF32 || view->shape.size() != 1)
    throw std::runtime_error(file.path().string() + ": tensor '" + name +
                             "' is missing or not a flat F32; this is no checkpoint of training");
  return torch::from_blob(const_cast<std::byte*>(view->data.data()), view->shape).clone();
}

std::int64_t read_number(const SafetensorsFile& file, const std::string& key) {
  try {
    return std::stoll(file.metadata().at(key));
  } catch (const std::exception&) {
    throw std::runtime_error(file.path().string() + ": metadata '" + key +
                             "' is missing or no number; this is no checkpoint of training");
  }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, FlatParameters& parameters,
                      const DataPosition& position) {
  const auto values = parameters.values().cpu();
  const auto first = parameters.first_moment().cpu();
  const auto second = parameters.second_moment().cpu();
  const std::vector<TensorView> tensors{view_of(kValues, DType::kF32, values),
                                        view_of(kFirst, DType::kF32, first),
                                        view_of(kSecond, DType::kF32, second)};
  write_safetensors(file, tensors,
                    {{"updates", std::to_string(parameters.updates())},
                     {"epoch", std::to_string(position.epoch)},
                     {"next_batch", std::to_string(position.next_batch)}});
}

DataPosition read_checkpoint(const std::filesystem::path& file, FlatParameters& parameters) {
  const SafetensorsFile stored(file);
  const auto copy = [&](torch::Tensor& to, const char* name) {
    const auto from = read_flat(stored, name);
    if (from.numel() != to.numel())
      throw std::runtime_error(file.string() + ": tensor '" + name + "' has " +
                               std::to_string(from.numel()) + " elements, this recipe's model " +
                               std::to_string(to.numel()));
    to.copy_(from);
  };
  torch::NoGradGuard no_grad;
  copy(parameters.values(), kValues);
  copy(parameters.first_moment(), kFirst);
  copy(parameters.second_moment(), kSecond);
  parameters.updates() = read_number(stored, "updates");
  return {read_number(stored, "epoch"), read_number(stored, "next_batch")};
}

torch::Tensor read_checkpoint_values(const std::filesystem::path& file) {
  return read_flat(SafetensorsFile(file), kValues);
}

void write_half_precision_package(const std::filesystem::path& folder,
                                  const PackageDescription& description, const Transformer& model,
                                  const torch::Tensor& values,
                                  const std::map<std::string, std::string>& metadata) {
  const auto half = values.to(torch::kCPU, torch::kHalf);
  std::vector<TensorView> tensors;
  std::int64_t offset = 0;
  for (const auto& [name, parameter] : named_weights(model)) {
    const auto part = half.narrow(0, offset, parameter.numel()).view(parameter.sizes());
    tensors.push_back(view_of(name, DType::kF16, part));
    offset += parameter.numel();
  }
  write_package(folder, description, tensors, metadata);
}

}  // namespace surtitle
