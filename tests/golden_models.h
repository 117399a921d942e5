// Reads golden models: their architecture, from the file's metadata, and their tensors.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "model/package/config.h"
#include "model/package/package.h"
#include "model/package/safetensors.h"

namespace surtitle {

inline ModelConfig golden_config(const SafetensorsFile& file) {
  const auto number = [&](const char* key) { return std::stoi(file.metadata().at(key)); };
  return {.d_model = number("embed_dim"),
          .heads = number("heads"),
          .ffn = number("ffn_dim"),
          .encoder_layers = number("layers"),
          .decoder_layers = number("layers"),
          .source_vocabulary = number("src_vocab"),
          .target_vocabulary = number("tgt_vocab"),
          .norm = number("normalize_before") != 0 ? Norm::kPre : Norm::kPost,
          .cross_attention = {GmaOptions()},
          .shared_embeddings = false,
          .tied_output = true};
}

// Returns the model as a package without a tokenizer.
inline Package golden_package(const std::filesystem::path& file) {
  SafetensorsFile weights(file);
  PackageDescription description;
  description.architecture = golden_config(weights);
  return {file.parent_path(), description, std::move(weights), {}};
}

// Returns the values of a tensor of 64-bit integers.
inline std::vector<int> golden_integers(const SafetensorsFile& file, const std::string& name) {
  const TensorView& tensor = *file.find(name);
  std::vector<std::int64_t> values(tensor.data.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return {values.begin(), values.end()};
}

}  // namespace surtitle
