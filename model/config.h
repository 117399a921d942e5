// What a model's architecture is: the `architecture:` part of model.yaml and of a training recipe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class Node;
}

namespace surtitle {

// Where a layer normalises: before each sub-layer, with one more norm after the stack (pre), or
// after it (post).
enum class Norm { kPre, kPost };

enum class CrossAttention {
  kDotProduct,  // scaled dot-product attention (Vaswani et al. 2017)
  kGma,         // Gaussian multi-head attention (Zhang & Feng 2022)
};

struct ModelConfig {
  int d_model = 256;       // C; divisible by heads, even
  int heads = 4;           // H
  int ffn = 1024;          // inner size of the feed-forward sub-layer
  int encoder_layers = 6;  // causal self-attention: deeper costs one step per source token only
  int decoder_layers = 3;  // the price of each target token
  int source_vocabulary = 8000;
  int target_vocabulary = 8000;
  Norm norm = Norm::kPre;
  CrossAttention cross_attention = CrossAttention::kGma;
  // Source and target use one table, stored as decoder.embed_tokens.weight.
  bool shared_embeddings = true;
  bool tied_output = true;  // the output projection is decoder.embed_tokens.weight

  bool operator==(const ModelConfig&) const = default;
};

// Reads the fields of a YAML map. Throws std::runtime_error: "FILE:LINE: unknown field 'x';
// allowed: ..." and likewise for values out of range. `file` only names the source of the node in
// messages.
ModelConfig parse_model_config(const YAML::Node& node, const std::string& file);

// The map as YAML text, each line indented by two spaces, ready to stand under "architecture:".
std::string to_yaml(const ModelConfig& config);

// A tensor that a model of this architecture must have, under its fairseq name.
struct ExpectedTensor {
  std::string name;  // "decoder.layers.0.encoder_attn.in_proj_weight"
  std::vector<std::int64_t> shape;
};
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

}  // namespace surtitle
