#include "model/training/flat_parameters.h"

#include <algorithm>
#include <cmath>

namespace surtitle {
namespace {

// On the CPU the update goes piece by piece, so that a piece's five vectors stay in cache.
constexpr std::int64_t kCachedElements = 1 << 15;

}  // namespace

FlatParameters::FlatParameters(Transformer model, torch::Device device, const AdamOptions& options)
    : model_(std::move(model)), options_(options) {
  torch::NoGradGuard no_grad;
  model_->to(device);
  const auto parameters = model_->parameters();
  std::int64_t count = 0;
  for (const auto& parameter : parameters) count += parameter.numel();
  values_ = torch::empty({count}, torch::TensorOptions(device));
  gradient_ = torch::zeros_like(values_);
  first_ = torch::zeros_like(values_);
  second_ = torch::zeros_like(values_);
  std::int64_t offset = 0;
  for (auto parameter : parameters) {
    const auto view = values_.narrow(0, offset, parameter.numel()).view_as(parameter);
    view.copy_(parameter);
    parameter.set_data(view);
    parameter.mutable_grad() = gradient_.narrow(0, offset, parameter.numel()).view_as(parameter);
    offset += parameter.numel();
  }
}

void FlatParameters::zero_gradient() { gradient_.zero_(); }

double FlatParameters::clip_gradient(double limit) {
  const double norm = gradient_.norm().item<double>();
  if (limit > 0 && norm > limit) gradient_.mul_(limit / norm);
  return norm;
}

void FlatParameters::step(double learning_rate) {
  torch::NoGradGuard no_grad;
  ++updates_;
  const auto n = static_cast<double>(updates_);
  const double correction1 = 1 - std::pow(options_.beta1, n);
  const double correction2 = std::sqrt(1 - std::pow(options_.beta2, n));
  const auto size = values_.numel();
  const auto piece = values_.device().is_cpu() ? kCachedElements : size;
  for (std::int64_t at = 0; at < size; at += piece) {
    const auto count = std::min(piece, size - at);
    const auto gradient = gradient_.narrow(0, at, count);
    auto first = first_.narrow(0, at, count);
    auto second = second_.narrow(0, at, count);
    first.mul_(options_.beta1).add_(gradient, 1 - options_.beta1);
    second.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const auto denominator = second.sqrt().div_(correction2).add_(options_.epsilon);
    values_.narrow(0, at, count).addcdiv_(first, denominator, -learning_rate / correction1);
  }
}

}  // namespace surtitle
