#include "model/torch/attention.h"

#include <cmath>
#include <limits>

#include "model/torch/dot_product.h"
#include "model/torch/dropout.h"
#include "model/torch/gaussian_baselines.h"
#include "model/torch/gaussian_mixture.h"
#include "model/torch/gma.h"
#include "model/torch/linear.h"
#include "model/torch/luong.h"
#include "model/torch/mma.h"
#include "model/torch/sact.h"
#include "model/torch/torch_shapes.h"

namespace surtitle {
namespace {

// [B, T, C] -> [B, H, T, d]
torch::Tensor split_heads(const torch::Tensor& x, int heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

// Returns step t of a tensor [B, T, ...] or [1, T, ...].
torch::Tensor step_of(const torch::Tensor& x, std::int64_t t) {
  return x.defined() ? x.narrow(1, t, 1) : x;
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

torch::Tensor AttentionImpl::scores(const torch::Tensor& query, const torch::Tensor& key) const {
  return torch::matmul(query, key.transpose(2, 3));
}

torch::Tensor AttentionImpl::head_scores(const torch::Tensor& query,
                                         const torch::Tensor& key_value) const {
  const auto key = key_value.narrow(2, 0, d_model_);
  return scores(split_heads(query, heads_), split_heads(key, heads_));
}

torch::Tensor AttentionImpl::soft_weights(const torch::Tensor& query,
                                          const torch::Tensor& key_value,
                                          const Weighting& weighting) const {
  auto score = head_scores(query, key_value);
  if (weighting.temperature.defined()) score = score / weighting.temperature;
  auto probabilities = torch::softmax(score + weighting.bias, -1);  // [B, H, T, S]
  if (weighting.scale.defined()) probabilities = probabilities * weighting.scale;
  if (weighting.added.defined()) probabilities = probabilities + weighting.added;
  return probabilities;
}

torch::Tensor AttentionImpl::context(const torch::Tensor& weights,
                                     const torch::Tensor& key_value) const {
  const auto value = split_heads(key_value.narrow(2, d_model_, d_model_), heads_);
  const auto kept = is_training() ? dropout(weights, dropout_) : weights;
  const auto context = torch::matmul(kept.to(value.scalar_type()), value);  // [B, H, T, d]
  return context.transpose(1, 2).reshape({weights.size(0), weights.size(2), d_model_});
}

torch::Tensor AttentionImpl::project_out(const torch::Tensor& context) const {
  return linear(context, out_proj_->weight, out_proj_->bias);
}

torch::Tensor AttentionImpl::project(const torch::Tensor& x, std::int64_t first,
                                     std::int64_t count) const {
  return linear(x, in_proj_weight_.narrow(0, first, count), in_proj_bias_.narrow(0, first, count));
}

CrossAttentionImpl::CrossAttentionImpl(const std::vector<CrossTensor>& tensors, int d_model,
                                       int heads, double dropout)
    : AttentionImpl(d_model, heads, dropout) {
  for (const auto& [name, shape, initial] : tensors) {
    auto& parameter = tensors_[name] = register_parameter(name, torch::full(shape, initial));
    if (shape.size() > 1) torch::nn::init::xavier_uniform_(parameter);
  }
}

torch::Tensor CrossAttentionImpl::increments(const torch::Tensor&, const torch::Tensor&) const {
  return {};
}

torch::Tensor CrossAttentionImpl::positions(const torch::Tensor&,
                                            const torch::Tensor& target_index) const {
  return target_index.to(torch::kFloat).unsqueeze(-1);
}

torch::Tensor CrossAttentionImpl::energies(const torch::Tensor&, const torch::Tensor&) const {
  return {};
}

Weighting CrossAttentionImpl::weigh(const CrossStep&, std::int64_t) const { return {}; }

torch::Tensor CrossAttentionImpl::remember(const CrossStep&, const torch::Tensor& context) const {
  return context.squeeze(1);
}

torch::Tensor CrossAttentionImpl::predict(const std::string& name,
                                          const torch::Tensor& query) const {
  auto hidden = torch::matmul(query, tensor(name + "_w"));
  if (has(name + "_b1")) hidden = hidden + tensor(name + "_b1");
  const auto result = at_least_float(torch::matmul(torch::tanh(hidden), tensor(name + "_v")));
  return has(name + "_b2") ? result + tensor(name + "_b2") : result;
}

torch::Tensor CrossAttentionImpl::weights(const CrossStep& step,
                                          const torch::Tensor& key_value) const {
  const auto source = key_value.size(1);
  auto weighting = weigh(step, source);
  const auto mask = prefix_mask(step.visible, source);
  weighting.bias = weighting.bias.defined() ? mask + weighting.bias : mask;
  return soft_weights(step.query, key_value, weighting);
}

CrossResult CrossAttentionImpl::attend_once(const CrossStep& step,
                                            const torch::Tensor& key_value) const {
  CrossResult result;
  result.weights = weights(step, key_value);
  const auto seen = context(result.weights, key_value);
  result.output = project_out(seen);
  if (recurrent()) result.memory = remember(step, seen);
  return result;
}

CrossResult CrossAttentionImpl::attend(const CrossStep& all, const torch::Tensor& key_value) const {
  if (!recurrent()) return attend_once(all, key_value);
  CrossResult result;
  result.memory = all.memory.defined() ? all.memory : torch::zeros_like(all.query.select(1, 0));
  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> weights;
  for (std::int64_t t = 0; t < all.query.size(1); ++t) {
    CrossStep step{step_of(all.query, t), step_of(all.positions, t), step_of(all.target_index, t),
                   step_of(all.visible, t), result.memory};
    step.query = feed(step);
    auto one = attend_once(step, key_value);
    result.memory = one.memory;
    outputs.push_back(one.output);
    weights.push_back(one.weights);
  }
  result.output = torch::cat(outputs, 1);
  result.weights = torch::cat(weights, 2);
  return result;
}

namespace {

// Makes the module of each type of options.
struct Maker {
  const std::vector<CrossTensor>& tensors;
  int d_model;
  int heads;
  double dropout;

  using Module = std::shared_ptr<CrossAttentionImpl>;
  template <typename Impl, typename Options>
  Module make(const Options& options) const {
    return std::make_shared<Impl>(options, tensors, d_model, heads, dropout);
  }
  Module operator()(const DotProductOptions& options) const {
    return make<DotProductAttentionImpl>(options);
  }
  Module operator()(const GmaOptions& options) const { return make<GmaAttentionImpl>(options); }
  Module operator()(const GaussianMixtureOptions& options) const {
    return make<GaussianMixtureAttentionImpl>(options);
  }
  Module operator()(const HardCodedOptions& options) const {
    return make<HardCodedAttentionImpl>(options);
  }
  Module operator()(const LocalnessOptions& options) const {
    return make<LocalnessAttentionImpl>(options);
  }
  Module operator()(const LuongOptions& options) const { return make<LuongAttentionImpl>(options); }
  Module operator()(const MmaOptions& options) const { return make<MmaAttentionImpl>(options); }
  Module operator()(const SactOptions& options) const { return make<SactAttentionImpl>(options); }
};

}  // namespace

std::shared_ptr<CrossAttentionImpl> make_cross_attention(const CrossAttention& attention,
                                                         const std::vector<CrossTensor>& tensors,
                                                         int d_model, int heads, double dropout) {
  return std::visit(Maker{tensors, d_model, heads, dropout}, attention);
}

torch::Tensor prefix_mask(const torch::Tensor& visible, std::int64_t source) {
  const auto j = torch::arange(source, visible.options());
  const auto hidden = j >= visible.unsqueeze(1).unsqueeze(3);  // [B, 1, T, S]
  return torch::zeros(hidden.sizes(), visible.options().dtype(torch::kFloat))
      .masked_fill_(hidden, -std::numeric_limits<float>::infinity());
}

}  // namespace surtitle
