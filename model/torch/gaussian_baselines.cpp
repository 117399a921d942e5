#include "model/torch/gaussian_baselines.h"

#include <cmath>

#include "model/engine/bounds.h"
#include "model/torch/torch_shapes.h"

namespace surtitle {

Weighting HardCodedAttentionImpl::weigh(const CrossStep& step, std::int64_t source) const {
  const auto type = at_least_float(step.query).options().requires_grad(false);
  const auto offsets = torch::arange(heads_, type).remainder(3) - 1;
  const auto centre = options_.ratio * step.target_index.to(type).unsqueeze(-1) + offsets;
  const auto width = torch::full({1, 1, 1}, options_.sigma, type);
  const auto density =
      torch::exp(log_gaussian(centre, width, source)) / (std::sqrt(2 * M_PI) * options_.sigma);
  return {.scale = torch::zeros({1}, type),
          .added = density * torch::exp(prefix_mask(step.visible, source))};
}

Weighting LocalnessAttentionImpl::weigh(const CrossStep& step, std::int64_t source) const {
  const auto predicted = torch::sigmoid(predict("localness", step.query));  // [B, T, 2]
  const auto j = step.visible.unsqueeze(-1);
  const auto centre = j * predicted.narrow(2, 0, 1);
  const auto width = j * predicted.narrow(2, 1, 1) / 2;
  return {.bias = log_gaussian(centre, width.clamp_min(kMinWidth), source)};
}

}  // namespace surtitle
