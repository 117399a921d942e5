#include "model/training/latency_loss.h"

namespace surtitle {
namespace {

// Returns DAL's terms for delays g [B, T] and rate = |x| / |y| [B, 1]. g'_i - i rate is the largest
// g_k - k rate over k <= i.
torch::Tensor lags(const torch::Tensor& delays, const torch::Tensor& rate) {
  const auto index = torch::arange(delays.size(1), delays.options().requires_grad(false));
  return std::get<0>((delays - index * rate).cummax(1));
}

}  // namespace

torch::Tensor expected_delays(const torch::Tensor& alpha) {
  const auto read = torch::arange(1, alpha.size(3) + 1, alpha.options().requires_grad(false));
  return (alpha * read).sum(-1);
}

torch::Tensor aligned_delays(const torch::Tensor& p, const torch::Tensor& source_lengths) {
  return torch::minimum(p, source_lengths.unsqueeze(1).to(p.scalar_type())).unsqueeze(1);
}

torch::Tensor latency_loss(const torch::Tensor& delays, const torch::Tensor& source_lengths,
                           const torch::Tensor& target_lengths, const LatencyWeights& weights) {
  const auto steps = target_lengths.unsqueeze(1);
  const auto index = torch::arange(delays.size(2), target_lengths.options());
  const auto share = (index < steps).to(delays.scalar_type()) / steps;  // [B, T]: means over i
  auto loss = torch::zeros({}, delays.options());
  if (weights.average > 0) {
    const auto weighted = (torch::softmax(delays, 1) * delays).sum(1);
    const auto rate = (source_lengths / target_lengths).to(delays.scalar_type()).unsqueeze(1);
    loss = loss + weights.average * (lags(weighted, rate) * share).sum();
  }
  if (weights.variance > 0) {
    const auto deviations = delays - delays.mean(1, /*keepdim=*/true);
    loss = loss + weights.variance * ((deviations * deviations).mean(1) * share).sum();
  }
  return loss;
}

}  // namespace surtitle
