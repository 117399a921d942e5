// The architecture of a model: `architecture:` in model.yaml and in a training recipe.
//
// Thread-safety: plain values; all functions may be called from any thread.
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

// The place of the norms: before each sub-layer and after the stack (pre), or after each sub-layer
// (post).
enum class Norm { kPre, kPost };

// The tokens on which the encoder's state of a token depends: those before it and itself (causal),
// or all that the decoder may see (bidirectional). A causal state is computed once. Bidirectional
// states are computed again for each number of visible tokens, followed by the end of sentence.
enum class EncoderReach { kCausal, kBidirectional };

// The function between the two products of a feed-forward sub-layer. kGelu is the exact one, by the
// error function.
enum class Activation { kRelu, kSwish, kGelu };

// The frequencies and the first position of the sinusoids (model/engine/sinusoids.h).
enum class Positions { kFairseq, kMarian, kTransformers };

// The memory of a decoder layer for earlier target tokens: attention to them, or the state of a
// simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back").
enum class TargetMemory { kAttention, kSsru };

// The token whose embedding is the decoder's first input. kBegin is kBeginOfSentence, which is
// never written.
enum class DecoderStart { kEnd, kBegin };

struct ModelConfig {
  int d_model = 256;       // C; divisible by heads, even
  int heads = 4;           // H
  int ffn = 1024;          // inner size of the feed-forward sub-layer
  int encoder_layers = 6;  // computed for each source token
  int decoder_layers = 3;  // each is computed for each target token
  int source_vocabulary = 8000;
  int target_vocabulary = 8000;
  Norm norm = Norm::kPre;
  CrossAttentions cross_attention = {GmaOptions()};
  // Source and target share one table of embeddings, stored as decoder.embed_tokens.weight.
  bool shared_embeddings = true;
  bool tied_output = true;   // the output projection is decoder.embed_tokens.weight
  bool output_bias = false;  // decoder.output_projection.bias
  // The norms after both stacks. Models with norms after sub-layers have none.
  bool final_norm = true;
  EncoderReach encoder_reach = EncoderReach::kCausal;
  Activation activation = Activation::kRelu;
  Positions positions = Positions::kFairseq;
  TargetMemory target_memory = TargetMemory::kAttention;
  DecoderStart decoder_start = DecoderStart::kEnd;
  bool meaning_units = false;  // has a classifier of unit ends (model/engine/meaning_units.h)
  // Has a classifier of words that begin a sentence: P(w begins one) = sigmoid(w h_j + b), where
  // h_j is the encoder's state of the word's last token. For speech without punctuation.
  bool sentence_starts = false;

  bool operator==(const ModelConfig&) const = default;

  // Returns the cross-attention of a decoder layer (from 0).
  const CrossAttention& cross_attention_of(int layer) const;
  // Returns the layer whose aligned positions this layer uses. It is the lowest layer with the same
  // options if they are those of a GMA that shares positions, otherwise the layer itself.
  int alignment_leader(int layer) const;
  // Whether any decoder layer has cross-attention of this type.
  template <typename Options>
  bool has_cross_attention() const {
    return std::any_of(cross_attention.begin(), cross_attention.end(),
                       [](const auto& one) { return std::holds_alternative<Options>(one); });
  }
  // Returns cross_tensors() of a decoder layer.
  std::vector<CrossTensor> cross_tensors_of(int layer) const;
  // Whether all decoder layers have dot-product attention, or all have GMA, with default options.
  // An Inference may support only such models.
  bool has_plain_cross_attention() const;
  bool has_final_norms() const { return norm == Norm::kPre && final_norm; }
  // Whether the fields from output_bias to decoder_start have their defaults, as in models that are
  // trained from the beginning. CUDA supports no other.
  bool has_default_form() const;
  // Whether the model can be trained: a causal encoder, and attention as the target memory.
  // LibTorch supports no other.
  bool is_trainable() const;
};

// Reads the fields of a YAML map; a field that is missing has its value in `defaults`. Throws
// std::runtime_error for unknown fields and values out of range: "FILE:LINE: unknown field 'x';
// allowed: ...". `file` is only used in messages.
ModelConfig parse_model_config(const YAML::Node& node, const std::string& file,
                               const ModelConfig& defaults = {});

// Returns the map as YAML text for "architecture:", with each line indented by two spaces.
std::string to_yaml(const ModelConfig& config);

// Returns the fields that differ, with both values: "'heads' is 2 in the package and 4 in the
// recipe, ...".
std::string describe_difference(const ModelConfig& package, const ModelConfig& recipe);

// A tensor that a model of this architecture must have, under its fairseq name.
struct ExpectedTensor {
  std::string name;  // "decoder.layers.0.encoder_attn.in_proj_weight"
  std::vector<std::int64_t> shape;
};
// Returns all tensors that a model of this architecture must have.
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

}  // namespace surtitle
