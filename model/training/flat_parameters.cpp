#include "model/training/flat_parameters.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace surtitle {
namespace {

// On the CPU, Adam works on pieces of this size, so that a piece's five vectors stay in cache.
constexpr std::int64_t kCachedElements = 1 << 15;
// Muon needs matrices with enough singular values to equalise: none with a smaller side than this.
constexpr std::int64_t kMinSide = 16;

// Returns the nearest matrix whose singular values are all about 1 (0.7 to 1.2): five Newton-Schulz
// steps with the coefficients of Jordan et al. 2024.
torch::Tensor orthogonalised(const torch::Tensor& matrix, torch::ScalarType products) {
  constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;
  constexpr int kSteps = 5;
  const bool tall = matrix.size(0) > matrix.size(1);
  auto x = tall ? matrix.t() : matrix;
  x = (x / (x.norm() + 1e-7)).to(products).contiguous();
  for (int step = 0; step < kSteps; ++step) {
    const auto a = torch::matmul(x, x.t());
    const auto b = torch::addmm(a, a, a, kB, kC);
    x = torch::addmm(x, b, x, kA, 1);
  }
  return tall ? x.t() : x;
}

// Calls body(i) for i in [0, count), on several threads if the tensors are on the CPU.
template <typename Body>
void for_each(bool on_cpu, std::size_t count, const Body& body) {
  if (!on_cpu) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  at::parallel_for(0, static_cast<std::int64_t>(count), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     torch::NoGradGuard no_grad;
                     for (std::int64_t i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
                   });
}

}  // namespace

FlatParameters::FlatParameters(std::vector<Transformer> replicas, torch::Device device,
                               const OptimizerOptions& options)
    : replicas_(std::move(replicas)), options_(options) {
  torch::NoGradGuard no_grad;
  std::int64_t count = 0;
  for (const auto& parameter : replicas_.front()->parameters()) count += parameter.numel();
  values_ = torch::empty({count}, torch::TensorOptions(device));
  first_ = torch::zeros_like(values_);
  second_ = torch::zeros_like(values_);
  for (auto& replica : replicas_) {
    const bool is_first = gradients_.empty();
    const auto& gradient = gradients_.emplace_back(torch::zeros_like(values_));
    replica->to(device);
    std::int64_t offset = 0;
    for (auto& [name, parameter] : named_weights(replica)) {
      const auto view = values_.narrow(0, offset, parameter.numel()).view_as(parameter);
      if (is_first) {
        view.copy_(parameter);
        assign(name, parameter, offset);
      }
      parameter.set_data(view);
      parameter.mutable_grad() = gradient.narrow(0, offset, parameter.numel()).view_as(parameter);
      offset += parameter.numel();
    }
  }
}

void FlatParameters::assign(const std::string& name, const torch::Tensor& parameter,
                            std::int64_t offset) {
  const bool in_layer = name.find(".layers.") != std::string::npos;
  if (options_.optimizer == Optimizer::kAdam || !in_layer || parameter.dim() != 2 ||
      std::min(parameter.size(0), parameter.size(1)) < kMinSide) {
    // Adjacent parameters become one span.
    if (!by_adam_.empty() && by_adam_.back().offset + by_adam_.back().size == offset) {
      by_adam_.back().size += parameter.numel();
    } else {
      by_adam_.push_back({offset, parameter.numel()});
    }
    return;
  }
  // Queries, keys and values are three matrices in one tensor.
  const std::int64_t parts = name.ends_with("in_proj_weight") ? 3 : 1;
  const auto rows = parameter.size(0) / parts;
  for (std::int64_t part = 0; part < parts; ++part)
    by_muon_.push_back({offset + part * rows * parameter.size(1), rows, parameter.size(1)});
}

void FlatParameters::zero_gradient() {
  for (auto& gradient : gradients_) gradient.zero_();
}

double FlatParameters::clip_gradient(double limit) {
  torch::NoGradGuard no_grad;
  auto& sum = gradients_.front();
  for (std::size_t i = 1; i < gradients_.size(); ++i) {
    sum.add_(gradients_[i]);
    gradients_[i].zero_();
  }
  const double norm = sum.norm().item<double>();
  if (limit > 0 && norm > limit) sum.mul_(limit / norm);
  return norm;
}

void FlatParameters::step(double learning_rate) {
  torch::NoGradGuard no_grad;
  ++updates_;
  const bool on_cpu = values_.device().is_cpu();
  std::vector<Span> pieces;
  for (const auto& span : by_adam_) {
    const auto piece = on_cpu ? kCachedElements : span.size;
    for (std::int64_t at = 0; at < span.size; at += piece)
      pieces.push_back({span.offset + at, std::min(piece, span.size - at)});
  }
  for_each(on_cpu, pieces.size(), [&](std::size_t i) { step_adam(pieces[i], learning_rate); });
  for_each(on_cpu, by_muon_.size(), [&](std::size_t i) { step_muon(by_muon_[i], learning_rate); });
}

void FlatParameters::step_adam(const Span& span, double learning_rate) {
  const auto n = static_cast<double>(updates_);
  const double correction1 = 1 - std::pow(options_.beta1, n);
  const double correction2 = std::sqrt(1 - std::pow(options_.beta2, n));
  const auto gradient = gradients_.front().narrow(0, span.offset, span.size);
  auto first = first_.narrow(0, span.offset, span.size);
  auto second = second_.narrow(0, span.offset, span.size);
  first.mul_(options_.beta1).add_(gradient, 1 - options_.beta1);
  second.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
  const auto denominator = second.sqrt().div_(correction2).add_(options_.epsilon);
  values_.narrow(0, span.offset, span.size)
      .addcdiv_(first, denominator, -learning_rate / correction1);
}

void FlatParameters::step_muon(const Matrix& matrix, double learning_rate) {
  const auto of = [&](const torch::Tensor& flat) {
    return flat.narrow(0, matrix.offset, matrix.rows * matrix.columns)
        .view({matrix.rows, matrix.columns});
  };
  const auto gradient = of(gradients_.front());
  auto momentum = of(first_);
  momentum.mul_(options_.momentum).add_(gradient);
  const auto ahead = gradient.add(momentum, options_.momentum);  // Nesterov
  // The root mean square of an element's update is then about 0.2, as with Adam.
  const double scale = 0.2 * std::sqrt(static_cast<double>(std::max(matrix.rows, matrix.columns)));
  of(values_).add_(orthogonalised(ahead, options_.products).to(torch::kFloat),
                   -learning_rate * scale);
}

}  // namespace surtitle
