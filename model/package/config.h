// What a model's architecture is: the `architecture:` part of model.yaml and of a training recipe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/package/cross_attention_options.h"

namespace YAML {
class Node;
}

namespace surtitle {

// Where a layer normalises: before each sub-layer, with one more norm after the stack (pre), or
// after it (post).
enum class Norm { kPre, kPost };

struct ModelConfig {
  int d_model = 256;       // C; divisible by heads, even
  int heads = 4;           // H
  int ffn = 1024;          // inner size of the feed-forward sub-layer
  int encoder_layers = 6;  // causal self-attention: deeper costs one step per source token only
  int decoder_layers = 3;  // the price of each target token
  int source_vocabulary = 8000;
  int target_vocabulary = 8000;
  Norm norm = Norm::kPre;
  CrossAttentions cross_attention = {GmaOptions()};
  // Source and target use one table, stored as decoder.embed_tokens.weight.
  bool shared_embeddings = true;
  bool tied_output = true;     // the output projection is decoder.embed_tokens.weight
  bool meaning_units = false;  // has a classifier of where they end (model/engine/meaning_units.h)
  // Has a classifier of words that begin a sentence: P(w begins one) = sigmoid(w h_j + b), where
  // h_j is the encoder's state of the word's last token. For speech without punctuation.
  bool sentence_starts = false;

  bool operator==(const ModelConfig&) const = default;

  // Of a decoder layer, from 0.
  const CrossAttention& cross_attention_of(int layer) const;
  // The layer whose aligned positions the layer uses: itself, but for GMA that shares them.
  int alignment_leader(int layer) const;
  // Whether a decoder layer's cross-attention is of the type of these options.
  template <typename Options>
  bool has_cross_attention() const {
    return std::any_of(cross_attention.begin(), cross_attention.end(),
                       [](const auto& one) { return std::holds_alternative<Options>(one); });
  }
  // cross_tensors() of a decoder layer.
  std::vector<CrossTensor> cross_tensors_of(int layer) const;
  // Whether all decoder layers have dot-product attention, or all of them GMA, with its defaults:
  // what an Inference for one kind of device may restrict itself to.
  bool has_plain_cross_attention() const;
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
