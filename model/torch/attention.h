// Multi-head attention, and what the decoder's cross-attentions have in common.
//
// One definition serves training (all target positions at once), teacher forcing and streaming (one
// new position against cached keys and values): every function takes the positions that it is asked
// for.
//
// Every cross-attention is one equation with pieces left out. Head h of target step t gives source
// token j, among those that the step may see, the weight
//
//   w_j = scale_j softmax_j(score_j / temperature + bias_j) + added_j
//
// Variants (the headers beside it) supply the pieces; see Weighting.
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

// The pieces of the equation above. Each broadcasts to [B, H, T, S]; an undefined one is left out.
struct Weighting {
  torch::Tensor bias{};  // with the mask, minus infinity where a step may not look
  torch::Tensor scale{};
  torch::Tensor added{};
  torch::Tensor temperature{};
};

// Linear projections to queries, keys and values, and back. Parameters under fairseq's names:
// in_proj_weight [3C, C] (q, k, v), in_proj_bias [3C], out_proj.weight [C, C], out_proj.bias [C].
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
  // The values of all heads side by side as the weights [B, H, T, S] weigh them, [B, T, C].
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

// Target steps whose source a cross-attention weighs.
struct CrossStep {
  torch::Tensor query;         // [B, T, C], scaled
  torch::Tensor positions;     // [B, T, A]: of the layer that leads
  torch::Tensor target_index;  // int64 [B, T], from 0
  torch::Tensor visible;       // int64 [B, T]: source tokens that the step sees, at least 1
  torch::Tensor memory;        // [B, C]: what the step before left; undefined: there was none
};

struct CrossResult {
  torch::Tensor output;   // [B, T, C]
  torch::Tensor memory;   // [B, C]: of the last step; undefined where a variant keeps none
  torch::Tensor weights;  // [B, H, T, S]
};

// Cross-attention of a decoder layer; itself scaled dot-product attention (Vaswani et al. 2017).
//
// A step has two halves, with the policy in between: the aligned positions, from the query and the
// sums of the steps before; then the weights, from what the policy lets the step see.
//
// Some variants need what the step before computed ("memory"). They go through the steps of a
// sentence one after the other in training too: softmax stands between c_(t-1) and c_t, and no sum
// over t replaces the loop. A layer then costs T small products instead of one large one.
class CrossAttentionImpl : public AttentionImpl {
 public:
  // `tensors` become parameters, in order.
  CrossAttentionImpl(const std::vector<CrossTensor>& tensors, int d_model, int heads,
                     double dropout);

  // What a step adds to the sums of its sentence, float32 or wider [B, T, A]. Undefined where
  // nothing is predicted. `target_index` [B, T] or [1, T].
  virtual torch::Tensor increments(const torch::Tensor& query,
                                   const torch::Tensor& target_index) const;
  // Whether a step's sum is that of all increments up to it, or its own one alone.
  virtual bool accumulates() const { return true; }
  // [B, T, A] from the sums, of which the furthest is the policy's p; the target index where
  // nothing is predicted.
  virtual torch::Tensor positions(const torch::Tensor& sums,
                                  const torch::Tensor& target_index) const;

  // Whether the three above give way to positions that are looked for among the keys, from where
  // the step before found them: from energies [B, H, T, S], by model/engine/monotonic_stops.h.
  virtual bool seeks() const { return false; }
  virtual torch::Tensor energies(const torch::Tensor& query, const torch::Tensor& key_value) const;

  // Whether a step needs the memory of the one before.
  virtual bool recurrent() const { return false; }

  CrossResult attend(const CrossStep& step, const torch::Tensor& key_value) const;

 protected:
  // What values are weighted with, [B, H, T, S]; here the equation.
  virtual torch::Tensor weights(const CrossStep& step, const torch::Tensor& key_value) const;
  // The pieces of the equation, without the mask.
  virtual Weighting weigh(const CrossStep& step, std::int64_t source) const;
  // The query [B, 1, C] as the memory changes it.
  virtual torch::Tensor feed(const CrossStep& step) const { return step.query; }
  // The memory [B, C] for the step after, from a context [B, 1, C].
  virtual torch::Tensor remember(const CrossStep&, const torch::Tensor& context) const;

  const torch::Tensor& tensor(const std::string& name) const { return tensors_.at(name); }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  // The predictor "name": tanh(q W + b1) V + b2 in float32 or wider, [B, T, outputs]; W, b1, V, b2
  // are the tensors name_w, name_b1, name_v, name_b2, biases where there are some.
  torch::Tensor predict(const std::string& name, const torch::Tensor& query) const;

 private:
  CrossResult attend_once(const CrossStep& step, const torch::Tensor& key_value) const;

  std::map<std::string, torch::Tensor> tensors_;
};

// The module of `attention`, with the given parameters.
std::shared_ptr<CrossAttentionImpl> make_cross_attention(const CrossAttention& attention,
                                                         const std::vector<CrossTensor>& tensors,
                                                         int d_model, int heads, double dropout);

// 0 where key j may be seen, minus infinity where not: j < visible. visible int64 [B, T] -> [B, 1,
// T, S].
torch::Tensor prefix_mask(const torch::Tensor& visible, std::int64_t source);

}  // namespace surtitle
