#include "model/torch/transformer.h"

#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/engine/sinusoids.h"
#include "model/package/tensor_values.h"
#include "model/text/tokenizer.h"
#include "model/torch/dropout.h"
#include "model/torch/linear.h"
#include "model/torch/mma.h"

namespace surtitle {
namespace {

// More than GMA's largest position, because targets may be longer than any source.
constexpr int kPositions = 2304;

// Returns [kPositions, C].
torch::Tensor sinusoid_table(const ModelConfig& config) {
  auto values = make_sinusoids(kPositions, config.d_model, config.positions);
  return torch::from_blob(values.data(), {kPositions, config.d_model}).clone();
}

torch::Tensor make_table(int vocabulary, int d_model) {
  auto table = torch::empty({vocabulary, d_model});
  torch::nn::init::normal_(table, 0, std::pow(d_model, -0.5));
  table[kPadding].zero_();
  return table;
}

torch::nn::Linear make_linear(int inputs, int outputs) {
  torch::nn::Linear linear(inputs, outputs);
  torch::nn::init::xavier_uniform_(linear->weight);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

torch::Tensor activated(Activation activation, const torch::Tensor& x) {
  switch (activation) {
    case Activation::kRelu:
      return torch::relu(x);
    case Activation::kSwish:
      return torch::silu(x);
    case Activation::kGelu:
      return torch::gelu(x);
  }
  return x;
}

torch::nn::LayerNorm make_norm(int d_model) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({d_model}));
}

// Returns the norm of x in the type of x, which may be narrower than that of its parameters.
torch::Tensor normalised(const torch::nn::LayerNorm& norm, const torch::Tensor& x) {
#if TORCH_VERSION_MAJOR < 2
  // Before LibTorch 2 the CPU's norm needs x and its parameters in one type.
  if (x.scalar_type() != norm->weight.scalar_type())
    return torch::layer_norm(x, {x.size(-1)}, norm->weight.to(x.scalar_type()),
                             norm->bias.to(x.scalar_type()));
#endif
  return norm.ptr()->forward(x);
}

// Returns the policy's p, float32 [B, T], from aligned positions [B, T, A].
torch::Tensor furthest(const torch::Tensor& positions) {
  return positions.amax(-1).to(torch::kFloat);
}

}  // namespace

LayerImpl::LayerImpl(const ModelConfig& config, const Dropout& dropout)
    : norm_(config.norm), activation_(config.activation), dropout_(dropout) {
  const int c = config.d_model;
  self_attn_ = register_module("self_attn", Attention(c, config.heads, dropout.attention));
  self_attn_layer_norm_ = register_module("self_attn_layer_norm", make_norm(c));
  fc1_ = register_module("fc1", make_linear(c, config.ffn));
  fc2_ = register_module("fc2", make_linear(config.ffn, c));
  final_layer_norm_ = register_module("final_layer_norm", make_norm(c));
}

torch::Tensor LayerImpl::pre_norm(const torch::nn::LayerNorm& norm, const torch::Tensor& x) const {
  return norm_ == Norm::kPre ? normalised(norm, x) : x;
}

torch::Tensor LayerImpl::after(const torch::nn::LayerNorm& norm, const torch::Tensor& x,
                               const torch::Tensor& sublayer) const {
  const auto sum = is_training() ? add_dropped(x, sublayer, dropout_.residual) : x + sublayer;
  return norm_ == Norm::kPost ? normalised(norm, sum) : sum;
}

torch::Tensor LayerImpl::self_attend(const torch::Tensor& x, const KeyValueCache* cache,
                                     const CacheRows* rows) const {
  auto [query, key_value] = self_attn_->project_all(pre_norm(self_attn_layer_norm_, x));
  if (cache) {
    cache->write(*rows, key_value);
    const auto mask = prefix_mask(rows->positions + 1, rows->length);
    const auto prefix = cache->prefix(rows->slots, rows->length);
    const auto weights = self_attn_->soft_weights(query, prefix, {.bias = mask});
    const auto seen = self_attn_->context(weights, prefix);
    return after(self_attn_layer_norm_, x, self_attn_->project_out(seen));
  }
  const auto positions =
      torch::arange(x.size(1), torch::TensorOptions(torch::kLong).device(x.device()));
  const auto mask = prefix_mask(positions.unsqueeze(0) + 1, x.size(1));
  const auto weights = self_attn_->soft_weights(query, key_value, {.bias = mask});
  const auto seen = self_attn_->context(weights, key_value);
  return after(self_attn_layer_norm_, x, self_attn_->project_out(seen));
}

torch::Tensor LayerImpl::feed_forward(const torch::Tensor& x) const {
  const auto inner = linear(pre_norm(final_layer_norm_, x), fc1_->weight, fc1_->bias);
  return after(final_layer_norm_, x,
               linear(activated(activation_, inner), fc2_->weight, fc2_->bias));
}

DecoderLayerImpl::DecoderLayerImpl(const ModelConfig& config, int index, const Dropout& dropout)
    : LayerImpl(config, dropout),
      leader_(static_cast<std::size_t>(config.alignment_leader(index))),
      encoder_attn_(make_cross_attention(config.cross_attention_of(index),
                                         config.cross_tensors_of(index), config.d_model,
                                         config.heads, dropout.attention)) {
  register_module("encoder_attn", std::static_pointer_cast<torch::nn::Module>(encoder_attn_));
  encoder_attn_layer_norm_ = register_module("encoder_attn_layer_norm", make_norm(config.d_model));
}

torch::Tensor DecoderLayerImpl::cross_query(const torch::Tensor& x) const {
  return encoder_attn_->project_query(pre_norm(encoder_attn_layer_norm_, x));
}

CrossResult DecoderLayerImpl::cross_attend(const torch::Tensor& x, const CrossStep& step,
                                           const torch::Tensor& key_value) const {
  auto result = encoder_attn_->attend(step, key_value);
  result.output = after(encoder_attn_layer_norm_, x, result.output);
  return result;
}

TransformerImpl::TransformerImpl(const ModelConfig& config, const Dropout& dropout)
    : config_(config), dropout_(dropout), sinusoids_(sinusoid_table(config)) {
  if (!config.is_trainable())
    throw std::invalid_argument(
        "an architecture with a bidirectional encoder or an SSRU cannot be trained; allowed: "
        "encoder_reach: causal, target_memory: attention");
  const int c = config.d_model;
  auto encoder = std::make_shared<torch::nn::Module>("encoder");
  auto decoder = std::make_shared<torch::nn::Module>("decoder");
  const auto embedding = [&](torch::nn::Module& stack, const char* name, int vocabulary) {
    auto holder = stack.register_module(name, std::make_shared<torch::nn::Module>("Embedding"));
    return holder->register_parameter("weight", make_table(vocabulary, c));
  };
  if (!config.shared_embeddings)
    encoder_table_ = embedding(*encoder, "embed_tokens", config.source_vocabulary);
  decoder_table_ = embedding(*decoder, "embed_tokens", config.target_vocabulary);
  if (config.shared_embeddings) encoder_table_ = decoder_table_;
  output_ = decoder_table_;
  if (!config.tied_output || config.output_bias) {
    auto projection = decoder->register_module("output_projection",
                                               std::make_shared<torch::nn::Module>("Projection"));
    if (!config.tied_output)
      output_ = projection->register_parameter("weight", make_table(config.target_vocabulary, c));
    if (config.output_bias)
      output_bias_ =
          projection->register_parameter("bias", torch::zeros({config.target_vocabulary}));
  }

  const auto stack_layers = [&](torch::nn::Module& stack, auto& layers, auto make, int count) {
    auto list = stack.register_module("layers", std::make_shared<torch::nn::Module>("Layers"));
    for (int i = 0; i < count; ++i)
      layers.push_back(list->register_module(std::to_string(i), make(i)));
  };
  stack_layers(
      *encoder, encoder_layers_, [&](int) { return Layer(config, dropout); },
      config.encoder_layers);
  stack_layers(
      *decoder, decoder_layers_, [&](int index) { return DecoderLayer(config, index, dropout); },
      config.decoder_layers);
  if (config.has_final_norms()) {
    encoder_norm_ = encoder->register_module("layer_norm", make_norm(c));
    decoder_norm_ = decoder->register_module("layer_norm", make_norm(c));
  }
  if (config.sentence_starts)
    sentence_start_ = encoder->register_module("sentence_start", make_linear(c, 1));
  register_module("encoder", encoder);
  register_module("decoder", decoder);
}

torch::Tensor TransformerImpl::embed(const torch::Tensor& table, const torch::Tensor& tokens,
                                     const torch::Tensor& positions) const {
  const auto places = sinusoids_.to(tokens.device())
                          .index_select(0, positions.reshape({-1}))
                          .view({positions.size(0), positions.size(1), config_.d_model});
  const auto exact = torch::embedding(table, tokens) * std::sqrt(config_.d_model) + places;
  const auto x = is_training() ? exact.to(states_type_) : exact;
  return is_training() ? dropout(x, dropout_.residual) : x;
}

torch::Tensor TransformerImpl::embed_source(const torch::Tensor& tokens,
                                            const torch::Tensor& positions) const {
  return embed(encoder_table_, tokens, positions);
}

torch::Tensor TransformerImpl::embed_target(const torch::Tensor& tokens,
                                            const torch::Tensor& positions) const {
  if (config_.decoder_start == DecoderStart::kBegin)
    return embed(decoder_table_, tokens.masked_fill(positions == 0, kBeginOfSentence), positions);
  return embed(decoder_table_, tokens, positions);
}

torch::Tensor TransformerImpl::finish_encoder(const torch::Tensor& x) const {
  return encoder_norm_.is_empty() ? x : normalised(encoder_norm_, x);
}

torch::Tensor TransformerImpl::finish_decoder(const torch::Tensor& x) const {
  return decoder_norm_.is_empty() ? x : normalised(decoder_norm_, x);
}

torch::Tensor TransformerImpl::output_embedding() const { return output_; }

torch::Tensor TransformerImpl::output_bias() const { return output_bias_; }

torch::Tensor TransformerImpl::logits(const torch::Tensor& states) const {
  return torch::linear(states, output_, output_bias_);
}

torch::Tensor TransformerImpl::sentence_start_logits(const torch::Tensor& states) const {
  return sentence_start_.ptr()->forward(states.to(torch::kFloat)).squeeze(-1);
}

torch::Tensor TransformerImpl::encode(const torch::Tensor& source) const {
  const auto positions = torch::arange(source.size(1), source.options()).unsqueeze(0);
  auto x = embed_source(source, positions);
  for (const auto& layer : encoder_layers_)
    x = layer.ptr()->feed_forward(layer.ptr()->self_attend(x, nullptr, nullptr));
  return finish_encoder(x);
}

Decoded TransformerImpl::decode(const torch::Tensor& encoded, const torch::Tensor& source_lengths,
                                const torch::Tensor& input, const Policy& policy,
                                const DecodeRequest& request) const {
  const auto index = torch::arange(input.size(1), input.options()).unsqueeze(0);  // [1, T]
  auto x = embed_target(input, index);
  Decoded result;
  std::vector<torch::Tensor> positions;  // by layer, [B, T, A]
  for (const auto& holder : decoder_layers_) {
    const auto& layer = *holder.ptr();
    const auto& cross = layer.cross_attention();
    x = layer.self_attend(x, nullptr, nullptr);
    const auto query = layer.cross_query(x);
    const auto key_value = cross.project_key_value(encoded);
    torch::Tensor visible;
    if (cross.seeks()) {
      const auto stops = whole_stops(cross.energies(query, key_value), policy, source_lengths,
                                     request.min_visible);
      positions.push_back(stops.positions);
      visible = stops.visible;
    } else {
      auto sums = cross.increments(query, index);
      if (sums.defined() && cross.accumulates()) sums = sums.cumsum(1);
      const bool leads = layer.leader() == positions.size();
      positions.push_back(leads ? cross.positions(sums, index.expand(input.sizes()))
                                : positions[layer.leader()]);
      visible = visible_source(policy, furthest(positions.back()), index, source_lengths);
      if (request.min_visible.defined()) visible = torch::maximum(visible, request.min_visible);
    }
    const auto attended =
        layer.cross_attend(x, {query, positions.back(), index, visible, {}}, key_value);
    x = layer.feed_forward(attended.output);
    result.p.push_back(furthest(positions.back()));
    result.visible.push_back(visible);
    if (request.keep_weights) result.weights.push_back(attended.weights);
  }
  result.states = finish_decoder(x);
  return result;
}

torch::Tensor visible_source(const Policy& policy, const torch::Tensor& p,
                             const torch::Tensor& target_index,
                             const torch::Tensor& source_lengths) {
  const auto on_cpu = p.detach().to(torch::kCPU).contiguous();
  const auto index = target_index.to(torch::kCPU).expand(p.sizes()).contiguous();
  const auto lengths = source_lengths.to(torch::kCPU).contiguous();
  auto visible = torch::empty(p.sizes(), torch::kLong);
  const auto* positions = on_cpu.data_ptr<float>();
  const auto* steps = index.data_ptr<std::int64_t>();
  auto* out = visible.data_ptr<std::int64_t>();
  const auto columns = p.size(1);
  for (std::int64_t row = 0; row < p.size(0); ++row) {
    const auto limit = lengths.data_ptr<std::int64_t>()[row];
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      const std::int64_t wanted = policy.visible_source(static_cast<int>(steps[i]), positions[i]);
      out[i] = std::min(wanted, limit);
    }
  }
  return visible.to(p.device());
}

std::vector<std::pair<std::string, torch::Tensor>> named_weights(const Transformer& model) {
  std::vector<std::pair<std::string, torch::Tensor>> result;
  for (const auto& item : model->named_parameters()) result.emplace_back(item.key(), item.value());
  return result;
}

void load_matching_weights(Transformer& model, const SafetensorsFile& weights) {
  torch::NoGradGuard no_grad;
  for (auto& [name, parameter] : named_weights(model)) {
    const TensorView* view = weights.find(name);
    // A tensor of a different cross-attention may have the same name but a different shape.
    if (!view || parameter.sizes() != view->shape) continue;
    auto values = float_values(weights, name);
    parameter.copy_(torch::from_blob(values.data(), view->shape));
  }
}

void load_weights(Transformer& model, const SafetensorsFile& weights) {
  for (const auto& [name, parameter] : named_weights(model))
    if (!weights.find(name))
      throw std::runtime_error(weights.path().string() + ": tensor '" + name + "' is missing");
  load_matching_weights(model, weights);
}

}  // namespace surtitle
