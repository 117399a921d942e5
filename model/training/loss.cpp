#include "model/training/loss.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace surtitle {
namespace {

// Rows of logits at a time. Fewer slow down the product for the embedding's gradient; more need
// memory.
constexpr std::int64_t kRowsAtATime = 2048;

// Lanes of a loop over a row of logits on the CPU. Each lane has its own partial result, so that a
// compiler may use vectors without changing any sum.
constexpr std::int64_t kLanes = 16;

inline float widen(float x) { return x; }
inline float widen(at::BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.x) << 16);
}
inline void narrow(float x, float& to) { to = x; }
inline void narrow(float x, at::BFloat16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  to.x = static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// Returns e^x for x <= 0 with a relative error below 3e-6: 2^n 2^f with |f| <= 1/2, the second by
// its series.
inline float exp_of(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float t = (x < -87.0F ? -87.0F : x) * kLog2E;
  const float shifted = t + kRound;
  const float f = t - (shifted - kRound);
  const float series =
      1.0F + f * (0.69314718F +
                  f * (0.24022651F + f * (0.05550411F + f * (0.00961813F + f * 0.00133336F))));
  const auto n = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  return series * std::bit_cast<float>((n + 127) << 23);
}

struct RowLoss {
  double negative_log_likelihood = 0;
  double smoothed = 0;
};

// Returns the loss of one row of logits [vocabulary]. If `scale` is above 0, replaces the row by
// its gradient times `scale`: softmax - (1 - smoothing) [v = y] - smoothing / V. `buffer`:
// [vocabulary].
template <typename Scalar>
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default"))) RowLoss row_loss(
    Scalar* logits, std::int64_t vocabulary, std::int64_t target, float smoothing, float scale,
    float* buffer) {
  const auto whole = vocabulary / kLanes * kLanes;
  float largest[kLanes], sums[kLanes], powers[kLanes];
  for (std::int64_t j = 0; j < kLanes; ++j) {
    largest[j] = -INFINITY;
    sums[j] = powers[j] = 0;
  }
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t j = 0; j < kLanes; ++j) {
      const float x = widen(logits[i + j]);
      buffer[i + j] = x;
      largest[j] = x > largest[j] ? x : largest[j];
      sums[j] += x;
    }
  float top = -INFINITY;
  double sum = 0;
  for (std::int64_t j = 0; j < kLanes; ++j) {
    top = std::max(top, largest[j]);
    sum += sums[j];
  }
  for (std::int64_t i = whole; i < vocabulary; ++i) {
    buffer[i] = widen(logits[i]);
    top = std::max(top, buffer[i]);
    sum += buffer[i];
  }
  const double chosen = buffer[target];
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t j = 0; j < kLanes; ++j) {
      buffer[i + j] = exp_of(buffer[i + j] - top);
      powers[j] += buffer[i + j];
    }
  double power = 0;
  for (std::int64_t j = 0; j < kLanes; ++j) power += powers[j];
  for (std::int64_t i = whole; i < vocabulary; ++i) {
    buffer[i] = exp_of(buffer[i] - top);
    power += buffer[i];
  }
  const double log_z = top + std::log(power);
  const double nll = log_z - chosen;
  if (scale > 0) {
    const auto factor = static_cast<float>(scale / power);
    const float even = smoothing / static_cast<float>(vocabulary) * scale;
    for (std::int64_t i = 0; i < vocabulary; ++i) narrow(buffer[i] * factor - even, logits[i]);
    narrow(buffer[target] * factor - even - (1 - smoothing) * scale, logits[target]);
  }
  return {nll, (1 - smoothing) * nll + smoothing * (log_z - sum / static_cast<double>(vocabulary))};
}

// Returns the sum of the losses of logits [rows, vocabulary] on the CPU. If `scale` is above 0,
// replaces the logits by their gradients times `scale`. targets int64 [rows].
template <typename Scalar>
RowLoss rows_loss(torch::Tensor& logits, const torch::Tensor& targets, double smoothing,
                  double scale) {
  const auto vocabulary = logits.size(1);
  auto* values = logits.data_ptr<Scalar>();
  const auto* chosen = targets.data_ptr<std::int64_t>();
  std::vector<RowLoss> losses(static_cast<std::size_t>(logits.size(0)));
  at::parallel_for(0, logits.size(0), 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> buffer(static_cast<std::size_t>(vocabulary));
    for (auto row = begin; row < end; ++row)
      losses[static_cast<std::size_t>(row)] =
          row_loss(values + row * vocabulary, vocabulary, chosen[row],
                   static_cast<float>(smoothing), static_cast<float>(scale), buffer.data());
  });
  RowLoss sum;
  for (const auto& one : losses) {
    sum.negative_log_likelihood += one.negative_log_likelihood;
    sum.smoothed += one.smoothed;
  }
  return sum;
}

// The same with LibTorch's operations, for CUDA.
RowLoss rows_loss_by_operations(torch::Tensor& logits, const torch::Tensor& targets,
                                double smoothing, double scale) {
  const auto vocabulary = static_cast<double>(logits.size(1));
  const auto target = targets.unsqueeze(1);
  auto wide = logits.to(torch::kFloat);
  const auto log_z = wide.logsumexp(1, /*keepdim=*/true);
  const auto nll = (log_z - wide.gather(1, target)).sum().item<double>();
  const auto even = (log_z.sum() - wide.sum() / vocabulary).item<double>();
  if (scale > 0) {
    wide.sub_(log_z).exp_().sub_(smoothing / vocabulary);
    wide.scatter_add_(1, target, torch::full_like(log_z, smoothing - 1));
    logits.copy_(wide.mul_(scale));
  }
  return {nll, (1 - smoothing) * nll + smoothing * even};
}

RowLoss loss_of(torch::Tensor& logits, const torch::Tensor& targets, double smoothing,
                double scale) {
  if (!logits.is_cuda() && logits.scalar_type() == torch::kBFloat16)
    return rows_loss<at::BFloat16>(logits, targets, smoothing, scale);
  if (!logits.is_cuda() && logits.scalar_type() == torch::kFloat)
    return rows_loss<float>(logits, targets, smoothing, scale);
  return rows_loss_by_operations(logits, targets, smoothing, scale);
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedLoss : torch::autograd::Function<FusedLoss> {
  static variable_list forward(AutogradContext* context, const torch::Tensor& states,
                               const torch::Tensor& embedding, const torch::Tensor& bias,
                               const torch::Tensor& targets, double smoothing, std::int64_t compute,
                               bool wanted) {
    const auto type = static_cast<torch::ScalarType>(compute);
    const auto rows = states.size(0);
    const bool biased = bias.numel() > 0;
    const auto x = states.to(type);
    const auto weight = embedding.to(type);
    auto grad_states = torch::empty_like(states);
    auto grad_embedding = torch::zeros_like(embedding);
    auto grad_bias = torch::zeros_like(bias);
    RowLoss sum;
    for (std::int64_t first = 0; first < rows; first += kRowsAtATime) {
      const auto count = std::min(kRowsAtATime, rows - first);
      const auto part = x.narrow(0, first, count);
      auto logits =
          biased ? torch::linear(part, weight, bias.to(type)) : torch::matmul(part, weight.t());
      const auto loss = loss_of(logits, targets.narrow(0, first, count), smoothing,
                                wanted ? 1 / static_cast<double>(rows) : 0);
      sum.negative_log_likelihood += loss.negative_log_likelihood;
      sum.smoothed += loss.smoothed;
      if (!wanted) continue;
      grad_states.narrow(0, first, count).copy_(torch::matmul(logits, weight));
      grad_embedding.add_(torch::matmul(logits.t(), part));
      if (biased) grad_bias.add_(logits.sum(0, /*keepdim=*/false, torch::kFloat));
    }
    const auto smoothed = torch::full({}, sum.smoothed / static_cast<double>(rows),
                                      states.options().dtype(torch::kFloat));
    const auto likelihood = torch::full_like(smoothed, sum.negative_log_likelihood);
    context->save_for_backward({grad_states, grad_embedding, grad_bias});
    context->mark_non_differentiable({likelihood});
    return {smoothed, likelihood};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {
        saved[0] * gradients[0], saved[1] * gradients[0], saved[2] * gradients[0], {}, {}, {}, {}};
  }
};

}  // namespace

Loss label_smoothed_loss(const torch::Tensor& states, const OutputProjection& output,
                         const torch::Tensor& targets, double smoothing,
                         torch::ScalarType compute) {
  // Read here, because inside a custom function the mode is always off.
  const bool wanted =
      torch::GradMode::is_enabled() && (states.requires_grad() || output.embedding.requires_grad());
  // A custom function accepts no undefined tensors: no bias is one without elements.
  const auto bias = output.bias.defined() ? output.bias : torch::empty(0, states.options());
  const auto result = FusedLoss::apply(states, output.embedding, bias, targets, smoothing,
                                       static_cast<std::int64_t>(compute), wanted);
  return {result[0], result[1].item<double>()};
}

}  // namespace surtitle
