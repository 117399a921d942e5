// Training's state on disk, and packages made from it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "model/flat_parameters.h"
#include "model/package.h"

namespace surtitle {

// Where in the data a run stands.
struct DataPosition {
  std::int64_t epoch = 0;
  std::int64_t next_batch = 0;
};

// A safetensors file with the flat tensors "values", "first_moment", "second_moment" (F32) and the
// counters.
void write_checkpoint(const std::filesystem::path& file, FlatParameters& parameters,
                      const DataPosition& position);

// Throws std::runtime_error where the file is no checkpoint of a model of this size.
DataPosition read_checkpoint(const std::filesystem::path& file, FlatParameters& parameters);

// The weights alone, float32 [parameters].
torch::Tensor read_checkpoint_values(const std::filesystem::path& file);

// Writes model.yaml and weights.safetensors in float16. `values` is flat, in the order of
// named_weights().
void write_half_precision_package(const std::filesystem::path& folder,
                                  const PackageDescription& description, const Transformer& model,
                                  const torch::Tensor& values,
                                  const std::map<std::string, std::string>& metadata);

}  // namespace surtitle
