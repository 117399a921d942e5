// Curves over the source that several cross-attentions are made of, on LibTorch.
//
// Shapes as in model/torch/attention.h. A centre or width is [B, T, A]; a curve [B, A, T, S], over
// j = 0, 1, ...
#pragma once

#include <torch/torch.h>

namespace surtitle {

// In float32, or float64 where x is.
inline torch::Tensor at_least_float(const torch::Tensor& x) {
  return x.scalar_type() == torch::kDouble ? x : x.to(torch::kFloat);
}

// [B, T, A] -> [B, A, T, 1], to stand beside the source.
inline torch::Tensor beside_source(const torch::Tensor& x) {
  return x.transpose(1, 2).unsqueeze(3);
}

// centre - j.
inline torch::Tensor distances(const torch::Tensor& centre, std::int64_t source) {
  return beside_source(centre) - torch::arange(source, centre.options().requires_grad(false));
}

// -(centre - j)^2 / (2 width^2).
inline torch::Tensor log_gaussian(const torch::Tensor& centre, const torch::Tensor& width,
                                  std::int64_t source) {
  const auto deviations = distances(centre, source) / beside_source(width);
  return -0.5 * deviations * deviations;
}

}  // namespace surtitle
