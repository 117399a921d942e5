// Multi-head attention and the base of the decoder's cross-attentions.
//
// One definition serves training (all target positions at once), teacher forcing and streaming (one
// new position against cached keys and values). Every function computes the positions that its
// arguments have.
//
// Every cross-attention is one equation, from which variants omit pieces. In head h, target step t
// gives source token j, among its visible tokens, the weight
//
//   w_j = scale_j softmax_j(score_j / temperature + bias_j) + added_j
//
// Variants (the headers beside this one) supply the pieces; see Weighting.
//
// Thread-safety: const functions in eval mode may run on any number of threads.
//
// Shapes: B sentences, T target positions, S source positions, H heads, d = C / H, C = d_model, A
// aligned positions of a layer (1, or one for each head or component).
#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/package/cross_attention_options.h"

namespace surtitle {

// The pieces of the equation above. Each broadcasts to [B, H, T, S]; an undefined piece is omitted.
struct Weighting {
  torch::Tensor bias{};  // including the mask: minus infinity at invisible tokens
  torch::Tensor scale{};
  torch::Tensor added{};
  torch::Tensor temperature{};
};

// Linear projections to queries, keys and values, and of the result. Parameters have fairseq's
// names: in_proj_weight [3C, C] (q, k, v), in_proj_bias [3C], out_proj.weight [C, C], out_proj.bias
// [C].
class AttentionImpl : public torch::nn::Module {
 public:
  AttentionImpl(int d_model, int heads, double dropout);

  // [B, T, C] -> [B, T, C], scaled by d^(-1/2), bias included.
  torch::Tensor project_query(const torch::Tensor& x) const;
  // [B, S, C] -> [B, S, 2C]: keys, then values.
  torch::Tensor project_key_value(const torch::Tensor& z) const;
  // Both of the above in one product, for self-attention: scaled queries [B, T, C], keys and values
  // [B, T, 2C].
  std::pair<torch::Tensor, torch::Tensor> project_all(const torch::Tensor& x) const;

  // The weights of the equation above, [B, H, T, S]. query [B, T, C]; key_value [B, S, 2C].
  torch::Tensor soft_weights(const torch::Tensor& query, const torch::Tensor& key_value,
                             const Weighting& weighting) const;
  // Returns the values of all heads side by side, weighted with `weights` [B, H, T, S]: [B, T, C].
  torch::Tensor context(const torch::Tensor& weights, const torch::Tensor& key_value) const;
  // The output projection of a context.
  torch::Tensor project_out(const torch::Tensor& context) const;

 protected:
  // Scores [B, H, T, S] of query [B, T, C] and key_value [B, S, 2C].
  torch::Tensor head_scores(const torch::Tensor& query, const torch::Tensor& key_value) const;
  // Scores [B, H, T, S] of queries [B, H, T, d] and keys [B, H, S, d]: their dot product.
  virtual torch::Tensor scores(const torch::Tensor& query, const torch::Tensor& key) const;

  double scale() const;  // d^(-1/2)
  // Rows [first, first + count) of the projections.
  torch::Tensor project(const torch::Tensor& x, std::int64_t first, std::int64_t count) const;

  int d_model_;
  int heads_;
  double dropout_;
  torch::Tensor in_proj_weight_;
  torch::Tensor in_proj_bias_;
  torch::nn::Linear out_proj_{nullptr};
};
TORCH_MODULE(Attention);

// Target steps of a cross-attention.
struct CrossStep {
  torch::Tensor query;         // [B, T, C], scaled
  torch::Tensor positions;     // [B, T, A]: of the leading layer
  torch::Tensor target_index;  // int64 [B, T], from 0
  torch::Tensor visible;       // int64 [B, T]: source tokens, at least 1
  torch::Tensor memory;        // [B, C]: from the step before; undefined if there is none
};

struct CrossResult {
  torch::Tensor output;   // [B, T, C]
  torch::Tensor memory;   // [B, C]: of the last step; undefined if a variant has none
  torch::Tensor weights;  // [B, H, T, S]
};

// Cross-attention of a decoder layer; the base class is scaled dot-product attention (Vaswani et
// al. 2017).
//
// A step has two halves, with the policy in between. The first computes aligned positions, from the
// query and the sums of the steps before. The second computes weights over the source that the
// policy makes visible.
//
// Some variants need a result of the step before ("memory"). They compute the steps of a sentence
// one after the other in training too. Softmax is between c_(t-1) and c_t, so no sum over t
// replaces the loop. A layer then costs T small products in place of one large one.
class CrossAttentionImpl : public AttentionImpl {
 public:
  // `tensors` become parameters, in order.
  CrossAttentionImpl(const std::vector<CrossTensor>& tensors, int d_model, int heads,
                     double dropout);

  // Returns what a step adds to the sums of its sentence, [B, T, A], float32 or wider. Undefined if
  // the variant predicts nothing. `target_index` [B, T] or [1, T].
  virtual torch::Tensor increments(const torch::Tensor& query,
                                   const torch::Tensor& target_index) const;
  // Whether a step's sum includes all increments up to it; otherwise only its own.
  virtual bool accumulates() const { return true; }
  // Returns positions [B, T, A] from the sums; the furthest is the policy's p. They are the target
  // index if the variant predicts nothing.
  virtual torch::Tensor positions(const torch::Tensor& sums,
                                  const torch::Tensor& target_index) const;

  // Whether the layer searches the keys for positions in place of the three functions above. The
  // search starts at the positions of the step before and uses energies [B, H, T, S]; see
  // model/engine/monotonic_stops.h.
  virtual bool seeks() const { return false; }
  virtual torch::Tensor energies(const torch::Tensor& query, const torch::Tensor& key_value) const;

  // Whether a step needs the memory of the one before.
  virtual bool recurrent() const { return false; }

  CrossResult attend(const CrossStep& step, const torch::Tensor& key_value) const;

 protected:
  // Returns the weights of the values, [B, H, T, S]; here by the equation.
  virtual torch::Tensor weights(const CrossStep& step, const torch::Tensor& key_value) const;
  // The pieces of the equation, without the mask.
  virtual Weighting weigh(const CrossStep& step, std::int64_t source) const;
  // Returns the query [B, 1, C], changed by the memory.
  virtual torch::Tensor feed(const CrossStep& step) const { return step.query; }
  // Returns the memory [B, C] for the next step, from a context [B, 1, C].
  virtual torch::Tensor remember(const CrossStep&, const torch::Tensor& context) const;

  const torch::Tensor& tensor(const std::string& name) const { return tensors_.at(name); }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  // Computes the predictor "name": tanh(q W + b1) V + b2 in float32 or wider, [B, T, outputs]. W,
  // b1, V, b2 are the tensors name_w, name_b1, name_v, name_b2; biases are optional.
  torch::Tensor predict(const std::string& name, const torch::Tensor& query) const;

 private:
  CrossResult attend_once(const CrossStep& step, const torch::Tensor& key_value) const;

  std::map<std::string, torch::Tensor> tensors_;
};

// Makes the module of `attention` with the given parameters.
std::shared_ptr<CrossAttentionImpl> make_cross_attention(const CrossAttention& attention,
                                                         const std::vector<CrossTensor>& tensors,
                                                         int d_model, int heads, double dropout);

// Returns 0 for visible keys (j < visible), minus infinity for others. visible int64 [B, T] -> [B,
// 1, T, S].
torch::Tensor prefix_mask(const torch::Tensor& visible, std::int64_t source);

}  // namespace surtitle
