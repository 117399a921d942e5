#include "tests/model/support/plain_transformer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "model/package/tensor_values.h"
#include "model/text/tokenizer.h"

namespace surtitle {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class PlainTransformer {
 public:
  explicit PlainTransformer(const Package& package)
      : weights_(package.weights),
        config_(package.description.architecture),
        width_(static_cast<std::size_t>(config_.d_model)) {}

  PlainStep step(std::span<const int> source, std::span<const int> target,
                 std::span<const int> visible) {
    std::vector<Rows> states;  // of the source, by step
    for (const int count : visible)
      states.push_back(encode(source.first(static_cast<std::size_t>(count))));
    const std::string target_table = kTargetTable;
    std::vector<int> before{config_.decoder_start == DecoderStart::kBegin ? kBeginOfSentence
                                                                          : kEndOfSentence};
    before.insert(before.end(), target.begin(), target.end());
    Rows y = embed(target_table, before);
    PlainStep step;
    for (int i = 0; i < config_.decoder_layers; ++i) {
      const auto name = "decoder.layers." + std::to_string(i) + ".";
      if (config_.target_memory == TargetMemory::kSsru) {
        recur(name, y);
      } else {
        self_attend(name, y, /*bidirectional=*/false);
      }
      step.attention.push_back(cross_attend(name, y, states));
      feed_forward(name, y);
    }
    if (config_.has_final_norms()) y = norm("decoder.layer_norm", y);
    const auto output =
        values(config_.tied_output ? target_table : "decoder.output_projection.weight");
    step.logits = product(output, y.back());
    if (config_.output_bias) {
      const auto bias = values("decoder.output_projection.bias");
      for (std::size_t i = 0; i < bias.size(); ++i) step.logits[i] += bias[i];
    }
    return step;
  }

 private:
  static constexpr const char* kTargetTable = "decoder.embed_tokens.weight";

  Rows encode(std::span<const int> source) const {
    std::vector<int> tokens(source.begin(), source.end());
    const bool bidirectional = config_.encoder_reach == EncoderReach::kBidirectional;
    if (bidirectional && tokens.back() != kEndOfSentence) tokens.push_back(kEndOfSentence);
    Rows x =
        embed(config_.shared_embeddings ? kTargetTable : "encoder.embed_tokens.weight", tokens);
    for (int i = 0; i < config_.encoder_layers; ++i) {
      const auto name = "encoder.layers." + std::to_string(i) + ".";
      self_attend(name, x, bidirectional);
      feed_forward(name, x);
    }
    return config_.has_final_norms() ? norm("encoder.layer_norm", x) : x;
  }

  std::vector<float> values(const std::string& name) const { return float_values(weights_, name); }

  Row product(std::span<const float> matrix, const Row& x) const {
    Row y(matrix.size() / x.size());
    for (std::size_t o = 0; o < y.size(); ++o)
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += matrix[o * x.size() + i] * x[i];
    return y;
  }

  Row linear(const std::string& name, const Row& x) const {
    auto y = product(values(name + ".weight"), x);
    const auto bias = values(name + ".bias");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i];
    return y;
  }

  // Outputs [part * C, (part + 1) * C) of an attention's projection.
  Row projection(const std::string& name, std::size_t part, const Row& x) const {
    const auto matrix = values(name + ".in_proj_weight");
    const auto bias = values(name + ".in_proj_bias");
    auto y = product(std::span(matrix).subspan(part * width_ * width_, width_ * width_), x);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[part * width_ + i];
    return y;
  }

  Row norm(const std::string& name, const Row& x) const {
    const auto gain = values(name + ".weight");
    const auto bias = values(name + ".bias");
    double mean = 0;
    double variance = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x)
      variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] + bias[i];
    return y;
  }
  Rows norm(const std::string& name, const Rows& x) const {
    Rows y;
    for (const auto& row : x) y.push_back(norm(name, row));
    return y;
  }

  // x = x + f(x), with the norm before f or after the sum.
  void sub_layer(const std::string& name, Rows& x,
                 const std::function<Rows(const Rows&)>& f) const {
    const bool pre = config_.norm == Norm::kPre;
    const auto y = f(pre ? norm(name, x) : x);
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t i = 0; i < width_; ++i) x[t][i] += y[t][i];
    if (!pre) x = norm(name, x);
  }

  Rows embed(const std::string& table, const std::vector<int>& tokens) const {
    const auto rows = values(table);
    const bool fairseq = config_.positions == Positions::kFairseq;
    const auto half = width_ / 2;
    const auto steps =
        static_cast<double>(config_.positions == Positions::kTransformers ? half : half - 1);
    Rows x;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      Row row(width_);
      for (std::size_t i = 0; i < width_; ++i) {
        const double n = static_cast<double>(t) + (fairseq ? 2 : 0);
        const double angle = n / std::pow(10000.0, static_cast<double>(i % half) / steps);
        row[i] = rows[static_cast<std::size_t>(tokens[t]) * width_ + i] *
                     std::sqrt(static_cast<double>(width_)) +
                 (i < half ? std::sin(angle) : std::cos(angle));
      }
      x.push_back(row);
    }
    return x;
  }

  // Attention of one query to the first `visible` keys; the weights of each head in `shown`.
  Row attend(const Row& query, const Rows& keys, const Rows& all, std::size_t visible,
             Rows* shown) const {
    const auto heads = static_cast<std::size_t>(config_.heads);
    const auto d = width_ / heads;
    Row context(width_);
    for (std::size_t h = 0; h < heads; ++h) {
      Row weights(visible);
      double sum = 0;
      for (std::size_t j = 0; j < visible; ++j) {
        double score = 0;
        for (std::size_t i = h * d; i < (h + 1) * d; ++i) score += query[i] * keys[j][i];
        sum += weights[j] = std::exp(score / std::sqrt(static_cast<double>(d)));
      }
      for (std::size_t j = 0; j < visible; ++j) {
        weights[j] /= sum;
        for (std::size_t i = h * d; i < (h + 1) * d; ++i) context[i] += weights[j] * all[j][i];
      }
      if (shown) shown->push_back(weights);
    }
    return context;
  }

  void self_attend(const std::string& layer, Rows& x, bool bidirectional) const {
    const auto name = layer + "self_attn";
    sub_layer(name + "_layer_norm", x, [&](const Rows& in) {
      Rows keys;
      Rows all;
      for (const auto& row : in) {
        keys.push_back(projection(name, 1, row));
        all.push_back(projection(name, 2, row));
      }
      Rows out;
      for (std::size_t t = 0; t < in.size(); ++t)
        out.push_back(
            linear(name + ".out_proj", attend(projection(name, 0, in[t]), keys, all,
                                              bidirectional ? in.size() : t + 1, nullptr)));
      return out;
    });
  }

  // Row t of y attends to states[t]. Returns the weights of the last row.
  Rows cross_attend(const std::string& layer, Rows& y, const std::vector<Rows>& states) const {
    const auto name = layer + "encoder_attn";
    Rows shown;
    sub_layer(name + "_layer_norm", y, [&](const Rows& in) {
      Rows out;
      for (std::size_t t = 0; t < in.size(); ++t) {
        Rows keys;
        Rows all;
        for (const auto& row : states[t]) {
          keys.push_back(projection(name, 1, row));
          all.push_back(projection(name, 2, row));
        }
        out.push_back(
            linear(name + ".out_proj", attend(projection(name, 0, in[t]), keys, all, keys.size(),
                                              t + 1 == in.size() ? &shown : nullptr)));
      }
      return out;
    });
    return shown;
  }

  void recur(const std::string& layer, Rows& y) const {
    const auto name = layer + "ssru";
    sub_layer(name + "_layer_norm", y, [&](const Rows& in) {
      const auto matrix = values(name + ".weight");
      Row cell(width_);
      Rows out;
      for (const auto& row : in) {
        const auto input = product(matrix, row);
        const auto forget = linear(name + ".forget", row);
        Row result(width_);
        for (std::size_t i = 0; i < width_; ++i) {
          const double f = 1 / (1 + std::exp(-forget[i]));
          cell[i] = f * cell[i] + (1 - f) * input[i];
          result[i] = std::max(0.0, cell[i]);
        }
        out.push_back(result);
      }
      return out;
    });
  }

  double activate(double x) const {
    switch (config_.activation) {
      case Activation::kRelu:
        return std::max(0.0, x);
      case Activation::kSwish:
        return x / (1 + std::exp(-x));
      case Activation::kGelu:
        return x * 0.5 * std::erfc(-x * std::sqrt(0.5));
    }
    return 0;
  }

  void feed_forward(const std::string& layer, Rows& x) const {
    sub_layer(layer + "final_layer_norm", x, [&](const Rows& in) {
      Rows out;
      for (const auto& row : in) {
        auto inner = linear(layer + "fc1", row);
        for (double& value : inner) value = activate(value);
        out.push_back(linear(layer + "fc2", inner));
      }
      return out;
    });
  }

  const SafetensorsFile& weights_;
  const ModelConfig& config_;
  std::size_t width_;
};

}  // namespace

PlainStep plain_step(const Package& package, std::span<const int> source,
                     std::span<const int> target, std::span<const int> visible) {
  return PlainTransformer(package).step(source, target, visible);
}

}  // namespace surtitle
