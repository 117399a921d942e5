// Curves over the source, shared by several cross-attentions, on LibTorch.
//
// Shapes as in model/torch/attention.h. A centre or width is [B, T, A]; a curve [B, A, T, S], over
// j = 0, 1, ...
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// Returns x in float32, or in float64 if it is float64.
inline torch::Tensor at_least_float(const torch::Tensor& x) {
  return x.scalar_type() == torch::kDouble ? x : x.to(torch::kFloat);
}

// [B, T, A] -> [B, A, T, 1], which broadcasts over the source.
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
