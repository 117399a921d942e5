// Gaussian multi-head attention and its ablations, computed as in the released code.
//
// Zhang & Feng, "Gaussian Multi-head Attention for Simultaneous Machine Translation", Findings of
// ACL 2022. Positions count from 0, the first target position has p = 0.9, and g = ceil(p + delta).
//
// A is the number of positions of a layer (GmaOptions::shared_by), Q(s_i) the scaled query [C]. The
// parameters are wp [C, C] (row vector times matrix) and vp [C, A]:
//
//   dp_i = exp(tanh(Q(s_i) wp) vp), dp_0 = 0            eq. 5
//   p_i = min(max(dp_0 + ... + dp_i, 0.9), 1100)        eq. 4
//   alignment absolute: p_i = min(max(exp(tanh(Q(s_i) wp) vp), 0.9), 1100), for every i
//   w_ij = softmax_j(e_ij) G_ij / sum over j' of the same  = softmax_j(e_ij + log G_ij)   eq. 8, 9
//   sigma_i = p_i, p_i / 2 or p_i / 3; predicted: exp(tanh(Q(s_i) sigma_w) sigma_v), at least 0.1
//   prior gaussian:  G_ij = exp(-(p_i - j)^2 / (2 sigma_i^2))       eq. 7
//         laplace:   G_ij = exp(-|p_i - j| / sigma_i)
//         linear:    G_ij = 1 - |p_i - j| / (2 sigma_i), at least 0.001
//         none:      G_ij = 1; only the policy uses p
//
// If heads have their own positions, the furthest decides what the layer sees. Layers that share
// positions (shared_by layers, all) use those of the lowest GMA layer with the same options.
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class GmaAttentionImpl final : public CrossAttentionImpl {
 public:
  GmaAttentionImpl(const GmaOptions& options, const std::vector<CrossTensor>& tensors, int d_model,
                   int heads, double dropout);
  torch::Tensor increments(const torch::Tensor& query,
                           const torch::Tensor& target_index) const override;
  bool accumulates() const override;
  torch::Tensor positions(const torch::Tensor& sums,
                          const torch::Tensor& target_index) const override;

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;

 private:
  torch::Tensor sigma(const CrossStep& step) const;  // [B, T, A]

  GmaOptions options_;
};

}  // namespace surtitle
