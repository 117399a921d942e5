#include "model/torch/gaussian_mixture.h"

#include <cmath>

#include "model/engine/bounds.h"
#include "model/torch/torch_shapes.h"

namespace surtitle {

GaussianMixtureAttentionImpl::GaussianMixtureAttentionImpl(const GaussianMixtureOptions& options,
                                                           const std::vector<CrossTensor>& tensors,
                                                           int d_model, int heads, double dropout)
    : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

torch::Tensor GaussianMixtureAttentionImpl::increments(const torch::Tensor& query,
                                                       const torch::Tensor&) const {
  if (options_.normalisation != GaussianMixtureOptions::Normalisation::kNone) return {};
  return torch::exp(predict("mean", query));
}

torch::Tensor GaussianMixtureAttentionImpl::positions(const torch::Tensor& sums,
                                                      const torch::Tensor& target_index) const {
  if (!sums.defined()) return CrossAttentionImpl::positions(sums, target_index);
  return torch::clamp_max(sums, kMaxPosition);
}

torch::Tensor GaussianMixtureAttentionImpl::mixture(const CrossStep& step,
                                                    std::int64_t source) const {
  const auto spread = predict("variance", step.query);
  const auto j = step.visible.unsqueeze(-1).to(spread.scalar_type());
  torch::Tensor mu;
  torch::Tensor sigma;
  torch::Tensor omega;
  if (options_.normalisation == GaussianMixtureOptions::Normalisation::kNone) {
    mu = step.positions;
    sigma = torch::sqrt(torch::exp(-spread) / 2).clamp_min(kMinWidth);
    omega = torch::exp(predict("weight", step.query));
  } else {
    mu = j * torch::sigmoid(predict("mean", step.query));
    const bool strict = options_.normalisation == GaussianMixtureOptions::Normalisation::kStrict;
    sigma = torch::sigmoid(spread) * (strict ? j : j / 6);
    if (!strict) sigma = torch::minimum(sigma, torch::minimum(mu, j - mu) / 3);
    sigma = sigma.clamp_min(kMinWidth);
    omega = (has("weight_v") ? torch::softmax(predict("weight", step.query), -1)
                             : torch::full({1}, 1.0 / options_.components, sigma.options())) /
            (std::sqrt(2 * M_PI) * sigma);
  }
  // Components that share everything except the width are K equal ones.
  const auto curves = torch::exp(log_gaussian(mu, sigma, source)) * beside_source(omega);
  const auto seen = torch::exp(prefix_mask(step.visible, source));
  const auto beta = curves.expand({-1, options_.components, -1, -1}).sum(1, true) * seen;
  if (options_.normalisation != GaussianMixtureOptions::Normalisation::kStrict) return beta;
  return beta / beta.sum(-1, true);
}

Weighting GaussianMixtureAttentionImpl::weigh(const CrossStep& step, std::int64_t source) const {
  const auto beta = mixture(step, source);
  if (options_.gate == GaussianMixtureOptions::Gate::kMixture)
    return {.scale = torch::zeros({1}, beta.options().requires_grad(false)), .added = beta};
  if (options_.gate == GaussianMixtureOptions::Gate::kAverage)
    return {.scale = torch::full({1}, 0.5, beta.options().requires_grad(false)), .added = beta / 2};
  const auto gate = beside_source(torch::sigmoid(predict("gate", step.query)));
  return {.scale = 1 - gate, .added = gate * beta};
}

}  // namespace surtitle
