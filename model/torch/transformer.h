// Transformer with a causal encoder and a choice of cross-attentions.
//
// Conventions are fairseq's, so that its checkpoints load under their own names. bos 0, pad 1, eos
// 2, unk 3. A source ends with eos, the decoder's input begins with eos. The embedding is scaled by
// sqrt(C). ModelConfig has the choices that imported models make otherwise: activation, positions,
// the bias of the output, and the first token of the decoder.
//
// The encoder is causal: the state of a source token never changes when more arrive. Streaming
// calls the same layers as training, with caches (KeyValueCache) in place of the tensors of a whole
// sentence.
//
// Thread-safety: inference on a module in eval mode is const and reads parameters only.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <vector>

#include "model/package/config.h"
#include "model/package/package.h"
#include "model/torch/attention.h"
#include "model/torch/key_value_cache.h"
#include "policies/policy.h"

namespace surtitle {

struct Dropout {
  double residual = 0;   // of embeddings and of every sub-layer's output
  double attention = 0;  // of attention weights
};

// Self-attention and feed-forward, common to encoder and decoder layers.
class LayerImpl : public torch::nn::Module {
 public:
  LayerImpl(const ModelConfig& config, const Dropout& dropout);

  // Returns x + SelfAttention(x) with its norm, [B, T, C]. Without a cache, x holds whole sentences
  // from position 0.
  torch::Tensor self_attend(const torch::Tensor& x, const KeyValueCache* cache,
                            const CacheRows* rows) const;
  // Returns x + FFN(x) with its norm, [B, T, C].
  torch::Tensor feed_forward(const torch::Tensor& x) const;

 protected:
  torch::Tensor pre_norm(const torch::nn::LayerNorm& norm, const torch::Tensor& x) const;
  torch::Tensor after(const torch::nn::LayerNorm& norm, const torch::Tensor& x,
                      const torch::Tensor& sublayer) const;

  Norm norm_;
  Activation activation_;
  Dropout dropout_;
  Attention self_attn_{nullptr};
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr};
  torch::nn::Linear fc1_{nullptr};
  torch::nn::Linear fc2_{nullptr};
  torch::nn::LayerNorm final_layer_norm_{nullptr};
};
TORCH_MODULE(Layer);

class DecoderLayerImpl : public LayerImpl {
 public:
  // `index` counts from 0, the lowest.
  DecoderLayerImpl(const ModelConfig& config, int index, const Dropout& dropout);

  // The layer whose aligned positions this one uses.
  std::size_t leader() const { return leader_; }
  const CrossAttentionImpl& cross_attention() const { return *encoder_attn_; }
  // Returns the scaled query of cross-attention for x [B, T, C].
  torch::Tensor cross_query(const torch::Tensor& x) const;
  // Returns x + CrossAttention(x) with its norm as `output`; `key_value` [B, S, 2C].
  CrossResult cross_attend(const torch::Tensor& x, const CrossStep& step,
                           const torch::Tensor& key_value) const;

 private:
  std::size_t leader_;
  std::shared_ptr<CrossAttentionImpl> encoder_attn_;
  torch::nn::LayerNorm encoder_attn_layer_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

// Result of a teacher-forced pass.
struct Decoded {
  torch::Tensor states;                // [B, T, C], to be multiplied by the output embedding
  std::vector<torch::Tensor> p;        // by layer, float32 [B, T]: aligned positions
  std::vector<torch::Tensor> visible;  // by layer, int64 [B, T]
  std::vector<torch::Tensor> weights;  // by layer, [B, H, T, S]; empty unless requested
};

// Options of a teacher-forced pass.
struct DecodeRequest {
  torch::Tensor min_visible;  // int64 [B, T]: lower bound of `visible`, if defined (see
                              // model/engine/engine.h)
  bool keep_weights = false;
};

class TransformerImpl : public torch::nn::Module {
 public:
  // Throws std::invalid_argument unless config.is_trainable().
  explicit TransformerImpl(const ModelConfig& config, const Dropout& dropout = {});

  const ModelConfig& config() const { return config_; }

  // The type of states between layers while in training mode; float32 unless set.
  void set_states_type(torch::ScalarType type) { states_type_ = type; }

  // Token ids [B, T] -> [B, T, C] with positions [B, T] (from 0).
  torch::Tensor embed_source(const torch::Tensor& tokens, const torch::Tensor& positions) const;
  // The token at position 0 is replaced by config().decoder_start.
  torch::Tensor embed_target(const torch::Tensor& tokens, const torch::Tensor& positions) const;

  // Whole sentences: source ids [B, S], padded on the right -> states [B, S, C].
  torch::Tensor encode(const torch::Tensor& source) const;

  // Teacher forcing under `policy`: encoder states [B, S, C], source lengths int64 [B], decoder
  // input ids [B, T] beginning with eos, padded on the right.
  Decoded decode(const torch::Tensor& encoded, const torch::Tensor& source_lengths,
                 const torch::Tensor& input, const Policy& policy,
                 const DecodeRequest& request = {}) const;

  // [..., C] -> [..., target vocabulary]
  torch::Tensor logits(const torch::Tensor& states) const;
  // The matrix of logits(): [target vocabulary, C].
  torch::Tensor output_embedding() const;
  // The bias of logits(), [target vocabulary]; undefined if the model has none.
  torch::Tensor output_bias() const;
  // Encoder states [N, C] of the last tokens of words -> float32 [N]: logits of the probability
  // that the word begins a sentence. REQUIRES: config().sentence_starts.
  torch::Tensor sentence_start_logits(const torch::Tensor& states) const;

  const std::vector<Layer>& encoder_layers() const { return encoder_layers_; }
  const std::vector<DecoderLayer>& decoder_layers() const { return decoder_layers_; }
  // The norm after a stack (pre-norm models), or x itself.
  torch::Tensor finish_encoder(const torch::Tensor& x) const;
  torch::Tensor finish_decoder(const torch::Tensor& x) const;

 private:
  torch::Tensor embed(const torch::Tensor& table, const torch::Tensor& tokens,
                      const torch::Tensor& positions) const;

  ModelConfig config_;
  Dropout dropout_;
  torch::ScalarType states_type_ = torch::kFloat;
  torch::Tensor encoder_table_;  // [source vocabulary, C]; the decoder's if shared
  torch::Tensor decoder_table_;  // [target vocabulary, C]
  torch::Tensor output_;         // [target vocabulary, C]; the decoder's if tied
  torch::Tensor output_bias_;    // [target vocabulary], or undefined
  torch::Tensor sinusoids_;      // [positions, C], not a parameter
  std::vector<Layer> encoder_layers_;
  std::vector<DecoderLayer> decoder_layers_;
  torch::nn::LayerNorm encoder_norm_{nullptr};
  torch::nn::LayerNorm decoder_norm_{nullptr};
  torch::nn::Linear sentence_start_{nullptr};
};
TORCH_MODULE(Transformer);

// Returns visible_source of `policy` for every target position, int64 [B, T] on the device of p, at
// most `source_lengths` [B]. `p` float32 [B, T]; `target_index` int64 [B, T].
torch::Tensor visible_source(const Policy& policy, const torch::Tensor& p,
                             const torch::Tensor& target_index,
                             const torch::Tensor& source_lengths);

// Copies a package's weights into the module. Throws std::runtime_error naming a missing tensor.
// REQUIRES: open_package() has checked the shapes.
void load_weights(Transformer& model, const SafetensorsFile& weights);

// The same, but parameters that the file lacks keep their values: a model with a different
// cross-attention can serve as a start.
void load_matching_weights(Transformer& model, const SafetensorsFile& weights);

// Returns the module's parameters under their fairseq names, in the order of packages.
std::vector<std::pair<std::string, torch::Tensor>> named_weights(const Transformer& model);

}  // namespace surtitle
