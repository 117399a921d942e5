// Checkpoints of training, and packages made from them.
//
// Thread-safety: different files may be used by different threads.
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

// Progress of a run, without its weights and its optimiser.
struct RunState {
  std::int64_t epoch = 0;
  std::int64_t next_batch = 0;
  double best_dev_perplexity = 0;   // 0: none yet
  int without_improvement = 0;      // checkpoints since the best one
  std::int64_t early_cooldown = 0;  // update at which dev perplexity stopped falling; 0: not yet
  // Update numbers of the run's earlier checkpoints that are still on disk, oldest first.
  std::vector<std::int64_t> earlier;
};

// Returns "FOLDER/checkpoint-UPDATES.safetensors".
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::int64_t updates);

// Writes a safetensors file with the flat tensors "values", "first_moment", "second_moment" (F32),
// and the counters and the architecture as metadata. Throws std::runtime_error naming the file.
void write_checkpoint(const std::filesystem::path& file, const FlatParameters& parameters,
                      const RunState& state);

// Reads a checkpoint. Throws std::runtime_error if the file is not a checkpoint of a model of this
// architecture.
RunState read_checkpoint(const std::filesystem::path& file, FlatParameters& parameters);

// Restores a run from the package that it wrote: its weights, its place in the text, and a fresh
// optimiser. For runs whose checkpoints, six times as large, are lost. Throws std::runtime_error if
// the package is not from a run of this architecture.
RunState read_package(const std::filesystem::path& folder, Transformer& model,
                      FlatParameters& parameters);

// Returns the metadata for read_package().
std::map<std::string, std::string> package_metadata(std::int64_t updates, const RunState& state);

// Reads only the weights of a checkpoint, float32 [parameters].
torch::Tensor read_checkpoint_values(const std::filesystem::path& file);

// Writes model.yaml and weights.safetensors in float16. `values` is flat, in the order of
// named_weights(). Throws std::runtime_error naming the file.
void write_half_precision_package(const std::filesystem::path& folder,
                                  const PackageDescription& description, const Transformer& model,
                                  const torch::Tensor& values,
                                  const std::map<std::string, std::string>& metadata);

}  // namespace surtitle
