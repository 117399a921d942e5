// Training's state on disk, and packages made from it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/package/package.h"
#include "model/training/flat_parameters.h"

namespace surtitle {

// Where a run stands, apart from its weights and its optimiser.
struct RunState {
  std::int64_t epoch = 0;
  std::int64_t next_batch = 0;
  double best_dev_perplexity = 0;  // 0: none yet
  int without_improvement = 0;     // checkpoints since the best one
  std::int64_t early_cooldown =
      0;  // update at which dev perplexity no longer fell; 0: it still does
  // Updates of the run's checkpoints before this one that are still kept, oldest first.
  std::vector<std::int64_t> earlier;
};

// "FOLDER/checkpoint-UPDATES.safetensors"
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t updates);

// A safetensors file with the flat tensors "values", "first_moment", "second_moment" (F32), and the
// counters and the architecture as metadata.
void write_checkpoint(const std::filesystem::path& file, const FlatParameters& parameters,
                      const RunState& state);

// Throws std::runtime_error where the file is no checkpoint of a model of this architecture.
RunState read_checkpoint(const std::filesystem::path& file, FlatParameters& parameters);

// Goes on from a package that such a run wrote: its weights, its place in the text, and an
// optimiser in its first state. For runs whose checkpoints, six times as large, are gone. Throws
// std::runtime_error if the package is not one of a run of this architecture.
RunState read_package(const std::filesystem::path& folder, Transformer& model,
                      FlatParameters& parameters);

// The metadata that read_package() reads.
std::map<std::string, std::string> package_metadata(std::int64_t updates, const RunState& state);

// The weights alone, float32 [parameters].
torch::Tensor read_checkpoint_values(const std::filesystem::path& file);

// Writes model.yaml and weights.safetensors in float16. `values` is flat, in the order of
// named_weights().
void write_half_precision_package(const std::filesystem::path& folder,
                                  const PackageDescription& description, const Transformer& model,
                                  const torch::Tensor& values,
                                  const std::map<std::string, std::string>& metadata);

}  // namespace surtitle
