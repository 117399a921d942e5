#include "model/torch/luong.h"

#include <limits>

#include "model/torch/torch_shapes.h"

namespace surtitle {

torch::Tensor LuongAttentionImpl::scores(const torch::Tensor& query,
                                         const torch::Tensor& key) const {
  if (options_.score == LuongOptions::Score::kDot) return CrossAttentionImpl::scores(query, key);
  const auto d = d_model_ / heads_;
  const auto matrices = tensor("score_w").view({heads_, d, -1});
  if (options_.score == LuongOptions::Score::kGeneral)
    return CrossAttentionImpl::scores(torch::matmul(query, matrices), key);
  const auto of_query = torch::matmul(query, matrices.narrow(2, 0, d).transpose(1, 2));
  const auto of_key = torch::matmul(key, matrices.narrow(2, d, d).transpose(1, 2));
  const auto hidden = torch::tanh(of_query.unsqueeze(3) + of_key.unsqueeze(2));  // [B, H, T, S, d]
  return torch::matmul(hidden, tensor("score_v").view({heads_, 1, d, 1})).squeeze(-1);
}

Weighting LuongAttentionImpl::weigh(const CrossStep& step, std::int64_t source) const {
  if (options_.reach == LuongOptions::Reach::kGlobal) return {};
  const bool predicts = options_.reach == LuongOptions::Reach::kLocalPredictive;
  const auto visible = step.visible.unsqueeze(-1);
  const auto centre =
      predicts ? visible * torch::sigmoid(predict("local", step.query))
               : torch::minimum(step.target_index.unsqueeze(-1), visible - 1).to(torch::kFloat);
  const auto outside = distances(centre, source).abs() > options_.window;
  Weighting weighting{.bias = torch::zeros_like(outside, torch::kFloat)
                                  .masked_fill(outside, -std::numeric_limits<float>::infinity())};
  if (predicts) {
    const auto width = torch::full({1, 1, 1}, options_.window / 2.0, centre.options());
    weighting.scale = torch::exp(log_gaussian(centre, width.detach(), source));
  }
  return weighting;
}

torch::Tensor LuongAttentionImpl::feed(const CrossStep& step) const {
  return step.query + torch::linear(step.memory, tensor("feed_w")).unsqueeze(1);
}

torch::Tensor LuongAttentionImpl::remember(const CrossStep& step,
                                           const torch::Tensor& context) const {
  const auto both = torch::cat({context, step.query.to(context.scalar_type())}, 2);
  return torch::tanh(torch::linear(both, tensor("attentional_w"))).squeeze(1);
}

}  // namespace surtitle
