#include "model/training/checkpoint.h"

#include <algorithm>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
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
    throw std::runtime_error(
        file.path().string() + ": tensor '" + name +
        "' is missing or not a flat F32; the file must be a checkpoint of training");
  return torch::from_blob(const_cast<std::byte*>(view->data.data()), view->shape).clone();
}

// Reads a counter. `fallback` is for counters that the first versions of checkpoints lack.
template <typename Number>
Number read_number(const SafetensorsFile& file, const std::string& key,
                   std::optional<Number> fallback = {}) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end() && fallback) return *fallback;
  std::istringstream text(found == file.metadata().end() ? "" : found->second);
  text.imbue(std::locale::classic());
  Number number{};
  if (!(text >> number) || !text.eof() || number < 0)
    throw std::runtime_error(
        file.path().string() + ": metadata '" + key +
        "' is missing or not a number; the file must be a checkpoint of training");
  return number;
}

std::string exact(double number) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  text << number;
  return text.str();
}

std::string list(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const auto number : numbers)
    text.append(text.empty() ? "" : " ").append(std::to_string(number));
  return text;
}

std::vector<std::int64_t> read_list(const SafetensorsFile& file, const std::string& key) {
  std::vector<std::int64_t> numbers;
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) return numbers;
  std::istringstream text(found->second);
  for (std::int64_t number = 0; text >> number;) numbers.push_back(number);
  return numbers;
}

// Returns the line without its indentation.
std::string_view trimmed(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// Two architectures can have the same number of parameters, so the number alone proves nothing.
void check_architecture(const SafetensorsFile& file, const ModelConfig& config) {
  const auto found = file.metadata().find("architecture");
  if (found == file.metadata().end() || found->second == to_yaml(config)) return;
  std::istringstream stored(found->second);
  std::istringstream wanted(to_yaml(config));
  std::string has;
  std::string needs;
  while (std::getline(stored, has) && std::getline(wanted, needs) && has == needs) {
  }
  std::string message =
      file.path().string() + ": the checkpoint has a different architecture: found '";
  message.append(trimmed(has)).append("', the recipe has '").append(trimmed(needs)).append("'");
  throw std::runtime_error(message);
}

}  // namespace

std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t updates) {
  return folder / ("checkpoint-" + std::to_string(updates) + ".safetensors");
}

void write_checkpoint(const std::filesystem::path& file, const FlatParameters& parameters,
                      const RunState& state) {
  const auto values = parameters.values().cpu();
  const auto first = parameters.first_moment().cpu();
  const auto second = parameters.second_moment().cpu();
  const std::vector<TensorView> tensors{view_of(kValues, DType::kF32, values),
                                        view_of(kFirst, DType::kF32, first),
                                        view_of(kSecond, DType::kF32, second)};
  write_safetensors(file, tensors,
                    {{"updates", std::to_string(parameters.updates())},
                     {"epoch", std::to_string(state.epoch)},
                     {"next_batch", std::to_string(state.next_batch)},
                     {"best_dev_perplexity", exact(state.best_dev_perplexity)},
                     {"without_improvement", std::to_string(state.without_improvement)},
                     {"early_cooldown", std::to_string(state.early_cooldown)},
                     {"earlier", list(state.earlier)},
                     {"architecture", to_yaml(parameters.architecture())}});
}

RunState read_checkpoint(const std::filesystem::path& file, FlatParameters& parameters) {
  const SafetensorsFile stored(file);
  check_architecture(stored, parameters.architecture());
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
  parameters.updates() = read_number<std::int64_t>(stored, "updates");
  return {.epoch = read_number<std::int64_t>(stored, "epoch"),
          .next_batch = read_number<std::int64_t>(stored, "next_batch"),
          .best_dev_perplexity = read_number<double>(stored, "best_dev_perplexity", 0.0),
          .without_improvement = read_number<int>(stored, "without_improvement", 0),
          .early_cooldown = read_number<std::int64_t>(stored, "early_cooldown", 0),
          .earlier = read_list(stored, "earlier")};
}

RunState read_package(const std::filesystem::path& folder, Transformer& model,
                      FlatParameters& parameters) {
  const auto package = open_package(folder);
  if (package.description.architecture != parameters.architecture())
    throw std::runtime_error(folder.string() +
                             ": the package's architecture differs from the recipe's");
  load_matching_weights(model, package.weights);
  const auto& stored = package.weights;
  parameters.updates() = read_number<std::int64_t>(stored, "updates");
  RunState state;
  state.epoch = read_number<std::int64_t>(stored, "epoch");
  state.next_batch = read_number<std::int64_t>(stored, "next_batch");
  return state;
}

std::map<std::string, std::string> package_metadata(std::int64_t updates, const RunState& state) {
  return {{"updates", std::to_string(updates)},
          {"epoch", std::to_string(state.epoch)},
          {"next_batch", std::to_string(state.next_batch)}};
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
