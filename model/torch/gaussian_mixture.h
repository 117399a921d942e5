// Gaussian mixture attention, mixed with dot-product attention alpha by a gate g.
//
// Zhang & Feng, "Modeling Concentrated Cross-Attention for Neural Machine Translation with Gaussian
// Mixture Model", Findings of EMNLP 2021, section 3.
//
// Each of omega^, mu^, sigma^ [K] and g^ [1] is predicted from the scaled query Q(s) [C], one for
// all heads: V^T tanh(W^T Q(s) + b1) + b2. The tensors are weight_, mean_, variance_ and gate_ w
// [C, C], b1 [C], v [C, K], b2 [K]. J is the number of visible source tokens; positions count from
// 0.
//
//   beta_j = sum_k omega_k / Z_k exp(-(j - mu_k)^2 / (2 sigma_k^2)), j < J
//   w_j = (1 - g) alpha_j + g beta_j,  g = sigmoid(g^)
//
//   normalisation approximate: omega = softmax(omega^), mu = J sigmoid(mu^),
//                              Z = sqrt(2 pi sigma^2),
//                              sigma = min{J/6 sigmoid(sigma^), mu/3, (J - mu)/3}
//                 strict:      as approximate with sigma = J sigmoid(sigma^), and
//                              beta / sum_j beta
//                 none:        omega = exp(omega^), mu_i = mu_(i-1) + exp(mu^), mu_(-1) = 0, Z = 1,
//                              sigma = sqrt(exp(-sigma^) / 2)
//   gate average: g = 1/2; mixture: g = 1. (g = 0 is the type dot-product.)
//   shared mean, variance, weight: one for all components; equal weights that are normalised are
//   1/K.
//
// A sigma is at least 0.1. The aligned position p is the target index, or, if means accumulate, the
// furthest of them, at most 1100.
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class GaussianMixtureAttentionImpl final : public CrossAttentionImpl {
 public:
  GaussianMixtureAttentionImpl(const GaussianMixtureOptions& options,
                               const std::vector<CrossTensor>& tensors, int d_model, int heads,
                               double dropout);
  torch::Tensor increments(const torch::Tensor& query,
                           const torch::Tensor& target_index) const override;
  torch::Tensor positions(const torch::Tensor& sums,
                          const torch::Tensor& target_index) const override;

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;

 private:
  torch::Tensor mixture(const CrossStep& step, std::int64_t source) const;  // beta [B, 1, T, S]

  GaussianMixtureOptions options_;
};

}  // namespace surtitle
