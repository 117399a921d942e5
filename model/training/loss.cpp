#include "model/training/loss.h"

#include <algorithm>

namespace surtitle {
namespace {

constexpr std::int64_t kRowsAtATime = 512;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedLoss : torch::autograd::Function<FusedLoss> {
  static variable_list forward(AutogradContext* context, const torch::Tensor& states,
                               const torch::Tensor& embedding, const torch::Tensor& targets,
                               double smoothing, std::int64_t compute, bool wanted) {
    const auto type = static_cast<torch::ScalarType>(compute);
    const auto rows = states.size(0);
    const auto vocabulary = embedding.size(0);
    const auto x = states.to(type);
    const auto weight = embedding.to(type);
    auto grad_states = torch::empty_like(states);
    auto grad_embedding = torch::zeros_like(embedding);
    auto smoothed = torch::zeros({}, states.options().dtype(torch::kFloat));
    auto likelihood = torch::zeros({}, smoothed.options());
    for (std::int64_t first = 0; first < rows; first += kRowsAtATime) {
      const auto count = std::min(kRowsAtATime, rows - first);
      const auto part = x.narrow(0, first, count);
      const auto target = targets.narrow(0, first, count).unsqueeze(1);
      auto logits = torch::matmul(part, weight.t()).to(torch::kFloat);
      const auto log_z = logits.logsumexp(1, /*keepdim=*/true);
      const auto nll = log_z - logits.gather(1, target);
      likelihood += nll.sum();
      smoothed += (1 - smoothing) * nll.sum() +
                  smoothing * (log_z.sum() - logits.sum() / static_cast<double>(vocabulary));
      if (!wanted) continue;
      // d loss / d logits = softmax - (1 - smoothing) [v = y] - smoothing / V, over N rows.
      auto& gradient = logits.sub_(log_z).exp_().sub_(smoothing / static_cast<double>(vocabulary));
      gradient.scatter_add_(1, target, torch::full_like(nll, smoothing - 1));
      const auto scaled = gradient.div_(static_cast<double>(rows)).to(type);
      grad_states.narrow(0, first, count).copy_(torch::matmul(scaled, weight));
      grad_embedding.add_(torch::matmul(scaled.t(), part));
    }
    context->save_for_backward({grad_states, grad_embedding});
    smoothed /= static_cast<double>(rows);
    context->mark_non_differentiable({likelihood});
    return {smoothed, likelihood};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {saved[0] * gradients[0], saved[1] * gradients[0], {}, {}, {}, {}};
  }
};

}  // namespace

Loss label_smoothed_loss(const torch::Tensor& states, const torch::Tensor& output_embedding,
                         const torch::Tensor& targets, double smoothing,
                         torch::ScalarType compute) {
  // Asked here: inside a custom function the mode is always off.
  const bool wanted =
      torch::GradMode::is_enabled() && (states.requires_grad() || output_embedding.requires_grad());
  const auto result = FusedLoss::apply(states, output_embedding, targets, smoothing,
                                       static_cast<std::int64_t>(compute), wanted);
  return {result[0], result[1].item<double>()};
}

}  // namespace surtitle
