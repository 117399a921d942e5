#include "model/attention.h"

#include <cmath>
#include <limits>

#include "model/dropout.h"
#include "model/gma.h"

namespace surtitle {
namespace {

// [B, T, C] -> [B, H, T, d]
torch::Tensor split_heads(const torch::Tensor& x, int heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

}  // namespace

AttentionImpl::AttentionImpl(int d_model, int heads, double dropout)
    : d_model_(d_model), heads_(heads), dropout_(dropout) {
  in_proj_weight_ = register_parameter("in_proj_weight", torch::empty({3 * d_model, d_model}));
  in_proj_bias_ = register_parameter("in_proj_bias", torch::zeros({3 * d_model}));
  out_proj_ = register_module("out_proj", torch::nn::Linear(d_model, d_model));
  torch::nn::init::xavier_uniform_(in_proj_weight_, 1 / std::sqrt(2.0));
  torch::nn::init::xavier_uniform_(out_proj_->weight);
  torch::nn::init::zeros_(out_proj_->bias);
}

double AttentionImpl::scale() const { return std::pow(d_model_ / heads_, -0.5); }

torch::Tensor AttentionImpl::project_query(const torch::Tensor& x) const {
  return project(x, 0, d_model_) * scale();
}

torch::Tensor AttentionImpl::project_key_value(const torch::Tensor& z) const {
  return project(z, d_model_, 2 * d_model_);
}

std::pair<torch::Tensor, torch::Tensor> AttentionImpl::project_all(const torch::Tensor& x) const {
  const auto all = project(x, 0, 3 * d_model_);
  return {all.narrow(2, 0, d_model_) * scale(), all.narrow(2, d_model_, 2 * d_model_)};
}

torch::Tensor AttentionImpl::attend(const torch::Tensor& query, const torch::Tensor& key_value,
                                    const torch::Tensor& bias, torch::Tensor* weights) const {
  const auto key = split_heads(key_value.narrow(2, 0, d_model_), heads_);
  const auto value = split_heads(key_value.narrow(2, d_model_, d_model_), heads_);
  const auto scores = torch::matmul(split_heads(query, heads_), key.transpose(2, 3));
  auto probabilities = torch::softmax(scores + bias, -1);  // [B, H, T, S]
  if (weights) *weights = probabilities;
  if (is_training()) probabilities = dropout(probabilities, dropout_);
  const auto context = torch::matmul(probabilities.to(value.scalar_type()), value);  // [B, H, T, d]
  return out_proj_.ptr()->forward(
      context.transpose(1, 2).reshape({query.size(0), query.size(1), d_model_}));
}

torch::Tensor AttentionImpl::project(const torch::Tensor& x, std::int64_t first,
                                     std::int64_t count) const {
  return torch::linear(x, in_proj_weight_.narrow(0, first, count),
                       in_proj_bias_.narrow(0, first, count));
}

torch::Tensor DotProductAttentionImpl::aligned_position(const torch::Tensor&,
                                                        const torch::Tensor& target_index) const {
  return target_index.to(torch::kFloat);
}

GaussianAttentionImpl::GaussianAttentionImpl(int d_model, int heads, double dropout)
    : CrossAttentionImpl(d_model, heads, dropout) {
  wp_ = register_parameter("wp", torch::empty({d_model, d_model}));
  vp_ = register_parameter("vp", torch::empty({d_model, 1}));
  torch::nn::init::xavier_uniform_(wp_);
  torch::nn::init::xavier_uniform_(vp_);
}

torch::Tensor GaussianAttentionImpl::increments(const torch::Tensor& query,
                                                const torch::Tensor& target_index) const {
  const auto hidden = torch::tanh(torch::matmul(query, wp_));
  const auto logarithm = torch::matmul(hidden, vp_).squeeze(-1);
  return torch::exp(logarithm.to(torch::kFloat)).masked_fill(target_index == 0, 0);
}

torch::Tensor GaussianAttentionImpl::aligned_position(const torch::Tensor& sum,
                                                      const torch::Tensor&) const {
  return torch::clamp(sum, kMinPosition, kMaxPosition);
}

torch::Tensor GaussianAttentionImpl::log_prior(const torch::Tensor& p, std::int64_t source) const {
  const auto center = p.unsqueeze(1).unsqueeze(3);  // [B, 1, T, 1]
  const auto j = torch::arange(source, p.options().requires_grad(false));
  const auto deviations = (center - j) / (center / 2);
  return -0.5 * deviations * deviations;
}

torch::Tensor prefix_mask(const torch::Tensor& visible, std::int64_t source) {
  const auto j = torch::arange(source, visible.options());
  const auto hidden = j >= visible.unsqueeze(1).unsqueeze(3);  // [B, 1, T, S]
  return torch::zeros(hidden.sizes(), visible.options().dtype(torch::kFloat))
      .masked_fill_(hidden, -std::numeric_limits<float>::infinity());
}

}  // namespace surtitle
