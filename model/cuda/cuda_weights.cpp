#include "model/cuda/cuda_weights.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/engine/sinusoids.h"
#include "model/package/tensor_values.h"

namespace surtitle {
namespace {

using cuda_module::Layer;
using cuda_module::Linear;
using cuda_module::Values;

std::size_t size_of(std::int64_t count) { return static_cast<std::size_t>(count); }

// Width and heads of a layer's tensors, in the package and in the module.
struct Heads {
  std::int64_t width;  // C
  std::int64_t heads;
  std::int64_t from;  // channels of a head in the package
  std::int64_t to;    // and in the module
};

// Returns rows of `inputs` values, one for each channel, with rows of zeros after each head's.
std::vector<float> pad_rows(const std::vector<float>& rows, std::int64_t inputs,
                            const Heads& heads) {
  std::vector<float> padded(size_of(heads.heads * heads.to * inputs));
  for (std::int64_t head = 0; head < heads.heads; ++head)
    std::copy_n(rows.begin() + head * heads.from * inputs, heads.from * inputs,
                padded.begin() + head * heads.to * inputs);
  return padded;
}

// Returns a matrix [C, C] with columns of zeros after each head's.
std::vector<float> pad_columns(const std::vector<float>& matrix, const Heads& heads) {
  const auto columns = heads.heads * heads.to;
  std::vector<float> padded(size_of(heads.width * columns));
  for (std::int64_t row = 0; row < heads.width; ++row)
    for (std::int64_t head = 0; head < heads.heads; ++head)
      std::copy_n(matrix.begin() + row * heads.width + head * heads.from, heads.from,
                  padded.begin() + row * columns + head * heads.to);
  return padded;
}

void append(std::vector<float>& to, const std::vector<float>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// A weight [outputs, inputs] and its bias.
struct Plain {
  std::vector<float> weight;
  std::vector<float> bias;
};

void append(Plain& to, const Plain& more) {
  append(to.weight, more.weight);
  append(to.bias, more.bias);
}

// Returns the layer that multiplies the result of `plain`, a row vector, by `matrix` [C, C].
Plain times(const Plain& plain, const std::vector<float>& matrix, std::int64_t width) {
  Plain result{std::vector<float>(plain.weight.size()), std::vector<float>(size_of(width))};
  for (std::int64_t k = 0; k < width; ++k) {
    const float* row = plain.weight.data() + k * width;
    for (std::int64_t n = 0; n < width; ++n) {
      const float factor = matrix[size_of(k * width + n)];
      result.bias[size_of(n)] += factor * plain.bias[size_of(k)];
      float* to = result.weight.data() + n * width;
      for (std::int64_t i = 0; i < width; ++i) to[i] += factor * row[i];
    }
  }
  return result;
}

Heads heads_of(const ModelConfig& config) {
  const int head = config.d_model / config.heads;
  if (head > cuda_module::kMaxHead)
    throw std::runtime_error("a model with " + std::to_string(head) +
                             " channels a head does not run on CUDA; allowed: up to " +
                             std::to_string(cuda_module::kMaxHead));
  constexpr int kStep = cuda_module::kHeadStep;
  return {config.d_model, config.heads, head, (head + kStep - 1) / kStep * kStep};
}

}  // namespace

// Reads tensors of a package, with names and shapes checked.
class CudaWeights::Reader {
 public:
  Reader(const Package& package, CudaWeights& to)
      : file_(package.weights), heads_(heads_of(package.description.architecture)), to_(to) {}

  Values kept(const std::string& name) const { return to_.keep(values(name)); }
  cuda_module::Norm norm(const std::string& name) const {
    return {kept(name + ".weight"), kept(name + ".bias")};
  }
  Linear linear(const std::string& name) const {
    return {kept(name + ".weight"), kept(name + ".bias")};
  }

  Layer layer(const std::string& name) const {
    Layer layer{};
    layer.self_norm = norm(name + "self_attn_layer_norm");
    auto all = padded(query(name + "self_attn"));
    append(all, key_value(name + "self_attn"));
    layer.self_in = keep(std::move(all));
    layer.self_out = out(name + "self_attn.out_proj");
    layer.ffn_norm = norm(name + "final_layer_norm");
    layer.fc1 = linear(name + "fc1");
    layer.fc2 = linear(name + "fc2");
    return layer;
  }

  Layer decoder_layer(const std::string& name, bool gma) const {
    Layer all = layer(name);
    const std::string cross = name + "encoder_attn";
    all.cross_norm = norm(cross + "_layer_norm");
    const Plain scaled = query(cross);
    Plain in = padded(scaled);
    if (gma) {
      append(in, times(scaled, values(cross + ".wp"), heads_.width));
      all.vp = kept(cross + ".vp");
    }
    all.cross_in = keep(std::move(in));
    all.cross_out = out(cross + ".out_proj");
    return all;
  }

  // [2W, C]
  Plain key_value(const std::string& attention) const {
    Plain both = padded(projection(attention, 1));
    append(both, padded(projection(attention, 2)));
    return both;
  }

  Linear keep(Plain plain) const {
    return {to_.keep(std::move(plain.weight)), to_.keep(std::move(plain.bias))};
  }

  int head() const { return static_cast<int>(heads_.to); }

 private:
  std::vector<float> values(const std::string& name) const { return float_values(file_, name); }

  // Query (0), key (1) or value (2).
  Plain projection(const std::string& attention, int which) const {
    const auto part = [&](const std::vector<float>& all, std::int64_t size) {
      return std::vector<float>(all.begin() + which * size, all.begin() + (which + 1) * size);
    };
    return {part(values(attention + ".in_proj_weight"), heads_.width * heads_.width),
            part(values(attention + ".in_proj_bias"), heads_.width)};
  }

  Plain query(const std::string& attention) const {
    Plain plain = projection(attention, 0);
    const auto scale = static_cast<float>(std::pow(static_cast<double>(heads_.from), -0.5));
    for (auto* part : {&plain.weight, &plain.bias})
      for (float& value : *part) value *= scale;
    return plain;
  }

  Plain padded(const Plain& plain) const {
    return {pad_rows(plain.weight, heads_.width, heads_), pad_rows(plain.bias, 1, heads_)};
  }

  Linear out(const std::string& name) const {
    return keep({pad_columns(values(name + ".weight"), heads_), values(name + ".bias")});
  }

  const SafetensorsFile& file_;
  Heads heads_;
  CudaWeights& to_;
};

CudaWeights::CudaWeights(const Package& package, int positions) {
  const auto& config = package.description.architecture;
  const Reader reader(package, *this);
  if (!config.has_plain_cross_attention())
    throw std::runtime_error(
        package.folder.string() +
        ": this cross-attention does not run on CUDA; allowed: "
        "all layers dot-product or all gma, with their defaults; use device cpu");
  const bool gma = std::holds_alternative<GmaOptions>(config.cross_attention_of(0));
  const bool pre_norm = config.norm == surtitle::Norm::kPre;
  for (int i = 0; i < config.encoder_layers; ++i)
    encoder_.push_back(reader.layer("encoder.layers." + std::to_string(i) + "."));
  Plain key_value;
  for (int i = 0; i < config.decoder_layers; ++i) {
    const std::string name = "decoder.layers." + std::to_string(i) + ".";
    decoder_.push_back(reader.decoder_layer(name, gma));
    append(key_value, reader.key_value(name + "encoder_attn"));
  }
  model_ = {
      .width = config.d_model,
      .heads = config.heads,
      .head = reader.head(),
      .ffn = config.ffn,
      .encoder_layers = config.encoder_layers,
      .decoder_layers = config.decoder_layers,
      .source_vocabulary = config.source_vocabulary,
      .target_vocabulary = config.target_vocabulary,
      .pre_norm = pre_norm,
      .gma = gma,
      .encoder = encoder_.data(),
      .decoder = decoder_.data(),
      .cross_key_value = reader.keep(std::move(key_value)),
      .encoder_norm = pre_norm ? reader.norm("encoder.layer_norm") : cuda_module::Norm{},
      .decoder_norm = pre_norm ? reader.norm("decoder.layer_norm") : cuda_module::Norm{},
      .source_table =
          config.shared_embeddings ? Values{} : reader.kept("encoder.embed_tokens.weight"),
      .target_table = reader.kept("decoder.embed_tokens.weight"),
      .output = config.tied_output ? Values{} : reader.kept("decoder.output_projection.weight"),
      .sinusoids = keep(make_sinusoids(positions, config.d_model))};
}

Values CudaWeights::keep(std::vector<float> values) {
  const auto& kept = values_.emplace_back(std::move(values));
  return {kept.data(), static_cast<std::int64_t>(kept.size())};
}

}  // namespace surtitle
