// The architecture of a golden model, from its file's metadata.
#pragma once

#include <string>

#include "model/config.h"
#include "model/safetensors.h"

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

}  // namespace surtitle
