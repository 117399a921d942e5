// Multi-head attention, and Gaussian multi-head attention (GMA) for the decoder's cross-attention.
//
// One definition serves training (all target positions at once), teacher forcing and streaming (one
// new position against cached keys and values): every function takes the positions that it is asked
// for.
//
// GMA: Zhang & Feng, "Gaussian Multi-head Attention for Simultaneous Machine Translation", Findings
// of ACL 2022, equations 4-10, as computed by the released code: positions count from 0, the first
// target position has p = 0.9, and g = ceil(p + delta).
//
// Shapes: B sentences, T target positions, S source positions, H heads, d = C / H, C = d_model.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <utility>

namespace surtitle {

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

  // softmax(query key^T + bias) value, through the output projection: [B, T, C].
  // query [B, T, C]; key_value [B, S, 2C]; bias broadcasts to [B, H, T, S] and holds the mask as
  // minus infinity. Where `weights` is given it receives the attention weights [B, H, T, S].
  torch::Tensor attend(const torch::Tensor& query, const torch::Tensor& key_value,
                       const torch::Tensor& bias, torch::Tensor* weights = nullptr) const;

 protected:
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

// Cross-attention of a decoder layer: what it predicts about alignment, and the prior that this
// gives.
//
// To add a variant: derive from it, give it a name in model/config.h and a line in
// make_cross_attention().
class CrossAttentionImpl : public AttentionImpl {
 public:
  using AttentionImpl::AttentionImpl;

  // The increment of the aligned position at each target position, float32 [B, T]. `query` is
  // scaled; `target_index` [B, T] counts from 0. Undefined where the variant predicts none.
  virtual torch::Tensor increments(const torch::Tensor& query,
                                   const torch::Tensor& target_index) const = 0;

  // p from the running sum s of the increments, any shape, float32. `target_index` as above.
  virtual torch::Tensor aligned_position(const torch::Tensor& sum,
                                         const torch::Tensor& target_index) const = 0;

  // Logarithm of the prior, float32 [B, 1, T, S], to be added to the scores; undefined for a flat
  // prior. p [B, T].
  virtual torch::Tensor log_prior(const torch::Tensor& p, std::int64_t source) const = 0;
};

// Scaled dot-product attention (Vaswani et al. 2017). It predicts no alignment: p is the target
// index.
class DotProductAttentionImpl final : public CrossAttentionImpl {
 public:
  using CrossAttentionImpl::CrossAttentionImpl;
  torch::Tensor increments(const torch::Tensor&, const torch::Tensor&) const override { return {}; }
  torch::Tensor aligned_position(const torch::Tensor& sum,
                                 const torch::Tensor& target_index) const override;
  torch::Tensor log_prior(const torch::Tensor&, std::int64_t) const override { return {}; }
};

// GMA. Two more parameters: wp [C, C] (row vector times matrix) and vp [C, 1].
//   dp_i = exp(tanh(q_i wp) vp), dp_0 = 0      (eq. 5)
//   p_i = min(max(sum dp, 0.9), 1100)          (eq. 4)
//   G_ij = exp(-(p_i - j)^2 / (2 (p_i/2)^2))   (eq. 7)
class GaussianAttentionImpl final : public CrossAttentionImpl {
 public:
  GaussianAttentionImpl(int d_model, int heads, double dropout);
  torch::Tensor increments(const torch::Tensor& query,
                           const torch::Tensor& target_index) const override;
  torch::Tensor aligned_position(const torch::Tensor& sum,
                                 const torch::Tensor& target_index) const override;
  torch::Tensor log_prior(const torch::Tensor& p, std::int64_t source) const override;

 private:
  torch::Tensor wp_;
  torch::Tensor vp_;
};

// 0 where key j may be seen, minus infinity where not: j < visible. visible int64 [B, T] -> [B, 1,
// T, S].
torch::Tensor prefix_mask(const torch::Tensor& visible, std::int64_t source);

}  // namespace surtitle
