#include "model/torch/gma.h"

#include "model/engine/bounds.h"
#include "model/torch/torch_shapes.h"

namespace surtitle {

GmaAttentionImpl::GmaAttentionImpl(const GmaOptions& options,
                                   const std::vector<CrossTensor>& tensors, int d_model, int heads,
                                   double dropout)
    : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

bool GmaAttentionImpl::accumulates() const {
  return options_.alignment == GmaOptions::Alignment::kIncremental;
}

torch::Tensor GmaAttentionImpl::increments(const torch::Tensor& query,
                                           const torch::Tensor& target_index) const {
  if (!has("wp")) return {};
  const auto hidden = torch::tanh(torch::matmul(query, tensor("wp")));
  const auto step = torch::exp(at_least_float(torch::matmul(hidden, tensor("vp"))));
  return accumulates() ? step.masked_fill(target_index.unsqueeze(-1) == 0, 0) : step;
}

torch::Tensor GmaAttentionImpl::positions(const torch::Tensor& sums, const torch::Tensor&) const {
  return torch::clamp(sums, kMinPosition, kMaxPosition);
}

torch::Tensor GmaAttentionImpl::sigma(const CrossStep& step) const {
  switch (options_.sigma) {
    case GmaOptions::Sigma::kWhole:
      return step.positions;
    case GmaOptions::Sigma::kHalf:
      return step.positions / 2;
    case GmaOptions::Sigma::kThird:
      return step.positions / 3;
    case GmaOptions::Sigma::kPredicted:
      break;
  }
  return torch::exp(predict("sigma", step.query)).clamp_min(kMinWidth);
}

Weighting GmaAttentionImpl::weigh(const CrossStep& step, std::int64_t source) const {
  if (options_.prior == GmaOptions::Prior::kNone) return {};
  const auto width = sigma(step);
  if (options_.prior == GmaOptions::Prior::kGaussian)
    return {.bias = log_gaussian(step.positions, width, source)};
  const auto distance = distances(step.positions, source).abs() / beside_source(width);
  if (options_.prior == GmaOptions::Prior::kLaplace) return {.bias = -distance};
  return {.bias = torch::log((1 - distance / 2).clamp_min(kMinPrior))};
}

}  // namespace surtitle
