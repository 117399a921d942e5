#include "tests/model/torch/plain_cross_attention.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace surtitle {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double gauss(double distance, double sigma) {
  return std::exp(-distance * distance / (2 * sigma * sigma));
}

// Returns y = M x + b, rows [first, first + y.size()) of M.
PlainVector affine(const PlainMatrix& m, const PlainVector& b, const PlainVector& x,
                   std::size_t first, std::size_t count) {
  PlainVector y(b.begin() + static_cast<std::ptrdiff_t>(first),
                b.begin() + static_cast<std::ptrdiff_t>(first + count));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < x.size(); ++c) y[i] += m[first + i][c] * x[c];
  return y;
}

PlainVector softmax(const PlainVector& scores) {
  PlainVector weights;
  for (const double score : scores) weights.push_back(std::exp(score));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto& weight : weights) weight /= sum;
  return weights;
}

PlainVector part(const PlainVector& x, std::size_t first, std::size_t count) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

double product(const PlainVector& a, const PlainVector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// One layer's computation of a sentence, step by step.
class Sentence {
 public:
  Sentence(const PlainAttention& plain, const PlainMatrix& z, std::size_t width)
      : plain_(plain),
        c_(width),
        heads_(static_cast<std::size_t>(plain.heads)),
        d_(c_ / heads_),
        memory_(c_) {
    for (const auto& state : z) {
      keys_.push_back(affine(at("in_proj_weight"), at("in_proj_bias")[0], state, c_, c_));
      values_.push_back(affine(at("in_proj_weight"), at("in_proj_bias")[0], state, 2 * c_, c_));
    }
  }

  // Returns the output of step t, and sets p_ to its position.
  PlainVector step(const PlainVector& x, int visible) {
    seen_ = visible;
    query_ = affine(at("in_proj_weight"), at("in_proj_bias")[0], x, 0, c_);
    for (auto& value : query_) value /= std::sqrt(static_cast<double>(d_));
    p_ = t_;
    std::visit([&](const auto& options) { begin(options); }, plain_.attention);
    PlainVector context(c_);
    for (std::size_t h = 0; h < heads_; ++h) {
      const auto weights =
          std::visit([&](const auto& options) { return weigh(options, h); }, plain_.attention);
      for (std::size_t j = 0; j < weights.size(); ++j)
        for (std::size_t i = h * d_; i < (h + 1) * d_; ++i)
          context[i] += weights[j] * values_[j][i];
    }
    std::visit([&](const auto& options) { end(options, context); }, plain_.attention);
    ++t_;
    return affine(at("out_proj.weight"), at("out_proj.bias")[0], context, 0, c_);
  }

  double p() const { return p_; }

 private:
  const PlainMatrix& at(const std::string& name) const { return plain_.tensors.at(name); }

  // Returns tanh(q W + b1) V + b2.
  PlainVector predict(const std::string& w, const std::string& v, const std::string& b1 = "",
                      const std::string& b2 = "") const {
    PlainVector hidden(c_);
    for (std::size_t n = 0; n < c_; ++n) {
      double sum = b1.empty() ? 0 : at(b1)[0][n];
      for (std::size_t i = 0; i < c_; ++i) sum += query_[i] * at(w)[i][n];
      hidden[n] = std::tanh(sum);
    }
    const auto outputs = at(v)[0].size();
    PlainVector result(outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      result[k] = b2.empty() ? 0 : at(b2)[0][k];
      for (std::size_t n = 0; n < c_; ++n) result[k] += hidden[n] * at(v)[n][k];
    }
    return result;
  }
  PlainVector predict(const std::string& name) const {
    return predict(name + "_w", name + "_v", name + "_b1", name + "_b2");
  }

  PlainVector head(const PlainVector& x, std::size_t h) const { return part(x, h * d_, d_); }

  PlainVector dot_scores(std::size_t h) const {
    PlainVector scores;
    for (int j = 0; j < seen_; ++j)
      scores.push_back(product(head(query_, h), head(keys_[static_cast<std::size_t>(j)], h)));
    return scores;
  }

  // Default for variants without work before and after a step.
  template <typename Options>
  void begin(const Options&) {}
  template <typename Options>
  void end(const Options&, const PlainVector&) {}

  PlainVector weigh(const DotProductOptions& options, std::size_t h) const {
    auto scores = dot_scores(h);
    for (auto& score : scores) score /= options.temperature;
    return softmax(scores);
  }

  void begin(const GmaOptions& options) {
    auto steps = predict("wp", "vp");
    sums_.resize(steps.size());
    positions_.clear();
    for (std::size_t a = 0; a < steps.size(); ++a) {
      const double own = std::exp(steps[a]);
      if (options.alignment == GmaOptions::Alignment::kAbsolute) {
        sums_[a] = own;
      } else if (t_ > 0) {
        sums_[a] += own;
      }
      positions_.push_back(std::min(std::max(sums_[a], 0.9), 1100.0));
    }
    p_ = *std::max_element(positions_.begin(), positions_.end());
  }
  PlainVector weigh(const GmaOptions& options, std::size_t h) const {
    const auto a = positions_.size() > 1 ? h : 0;
    const double p = positions_[a];
    double sigma = p / 2;
    if (options.sigma == GmaOptions::Sigma::kWhole) sigma = p;
    if (options.sigma == GmaOptions::Sigma::kThird) sigma = p / 3;
    if (options.sigma == GmaOptions::Sigma::kPredicted)
      sigma = std::max(std::exp(predict("sigma_w", "sigma_v")[a]), 0.1);
    // The paper's order: soft attention first, then times the prior, then normalised.
    auto weights = softmax(dot_scores(h));
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double distance = std::abs(p - static_cast<double>(j));
      if (options.prior == GmaOptions::Prior::kGaussian) weights[j] *= gauss(distance, sigma);
      if (options.prior == GmaOptions::Prior::kLaplace) weights[j] *= std::exp(-distance / sigma);
      if (options.prior == GmaOptions::Prior::kLinear)
        weights[j] *= std::max(1 - distance / (2 * sigma), 1e-3);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (auto& weight : weights) weight /= sum;
    return weights;
  }

  void begin(const GaussianMixtureOptions& options) {
    if (options.normalisation != GaussianMixtureOptions::Normalisation::kNone) return;
    const auto steps = predict("mean");
    sums_.resize(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) sums_[k] += std::exp(steps[k]);
    p_ = std::min(*std::max_element(sums_.begin(), sums_.end()), 1100.0);
  }
  PlainVector weigh(const GaussianMixtureOptions& options, std::size_t h) const {
    using Options = GaussianMixtureOptions;
    const auto count = static_cast<std::size_t>(options.components);
    const double big_j = seen_;
    // One output for each component; a single output serves all.
    const auto spread_out = [&](PlainVector outputs) {
      outputs.resize(count, outputs.front());
      return outputs;
    };
    const bool none = options.normalisation == Options::Normalisation::kNone;
    const auto spread = spread_out(predict("variance"));
    PlainVector omega(count, 1.0 / options.components);
    if (none) {
      omega = spread_out(predict("weight"));
      for (auto& one : omega) one = std::exp(one);
    } else if (options.shared != Options::Shared::kWeight) {
      omega = softmax(predict("weight"));
    }
    const auto mean = none ? spread_out(sums_) : spread_out(predict("mean"));
    PlainVector beta(static_cast<std::size_t>(seen_));
    for (std::size_t k = 0; k < count; ++k) {
      const double mu = none ? mean[k] : big_j * sigmoid(mean[k]);
      double sigma = std::sqrt(std::exp(-spread[k]) / 2);
      if (options.normalisation == Options::Normalisation::kStrict)
        sigma = big_j * sigmoid(spread[k]);
      if (options.normalisation == Options::Normalisation::kApproximate)
        sigma = std::min({big_j / 6 * sigmoid(spread[k]), mu / 3, (big_j - mu) / 3});
      sigma = std::max(sigma, 0.1);
      const double z = none ? 1 : std::sqrt(2 * M_PI * sigma * sigma);
      for (std::size_t j = 0; j < beta.size(); ++j)
        beta[j] += omega[k] / z * gauss(static_cast<double>(j) - mu, sigma);
    }
    if (options.normalisation == Options::Normalisation::kStrict) {
      const double sum = std::accumulate(beta.begin(), beta.end(), 0.0);
      for (auto& one : beta) one /= sum;
    }
    double g = 1;
    if (options.gate == Options::Gate::kAverage) g = 0.5;
    if (options.gate == Options::Gate::kPredicted) g = sigmoid(predict("gate")[0]);
    auto weights = softmax(dot_scores(h));
    for (std::size_t j = 0; j < beta.size(); ++j) weights[j] = (1 - g) * weights[j] + g * beta[j];
    return weights;
  }

  PlainVector weigh(const HardCodedOptions& options, std::size_t h) const {
    const double centre = options.ratio * t_ + (h % 3 == 0 ? -1 : h % 3 == 1 ? 0 : 1);
    PlainVector weights;
    for (int j = 0; j < seen_; ++j)
      weights.push_back(gauss(j - centre, options.sigma) /
                        std::sqrt(2 * M_PI * options.sigma * options.sigma));
    return weights;
  }

  PlainVector weigh(const LocalnessOptions&, std::size_t h) const {
    const auto predicted = predict("localness_w", "localness_v");
    const double centre = seen_ * sigmoid(predicted[0]);
    const double sigma = std::max(seen_ * sigmoid(predicted[1]) / 2, 0.1);
    auto scores = dot_scores(h);
    for (int j = 0; j < seen_; ++j)
      scores[static_cast<std::size_t>(j)] -= (j - centre) * (j - centre) / (2 * sigma * sigma);
    return softmax(scores);
  }

  void begin(const LuongOptions& options) {
    if (!options.input_feeding) return;
    const auto fed = affine(at("feed_w"), PlainVector(c_), memory_, 0, c_);
    for (std::size_t i = 0; i < c_; ++i) query_[i] += fed[i];
  }
  double luong_score(const LuongOptions& options, std::size_t h, std::size_t j) const {
    const auto query = head(query_, h);
    const auto key = head(keys_[j], h);
    if (options.score == LuongOptions::Score::kDot) return product(query, key);
    double score = 0;
    for (std::size_t r = 0; r < d_; ++r) {
      const auto& row = at("score_w")[h * d_ + r];
      if (options.score == LuongOptions::Score::kGeneral) {
        score += query[r] * product(row, key);
      } else {
        const double hidden = product(part(row, 0, d_), query) + product(part(row, d_, d_), key);
        score += at("score_v")[h][r] * std::tanh(hidden);
      }
    }
    return score;
  }
  PlainVector weigh(const LuongOptions& options, std::size_t h) const {
    const bool global = options.reach == LuongOptions::Reach::kGlobal;
    const bool predictive = options.reach == LuongOptions::Reach::kLocalPredictive;
    const double p =
        predictive ? seen_ * sigmoid(predict("local_w", "local_v")[0]) : std::min(t_, seen_ - 1);
    double sum = 0;
    PlainVector weights;
    for (int s = 0; s < seen_; ++s) {
      const bool inside = global || std::abs(s - p) <= options.window;
      const double one =
          inside ? std::exp(luong_score(options, h, static_cast<std::size_t>(s))) : 0;
      sum += one;
      weights.push_back(one * (predictive ? gauss(s - p, options.window / 2.0) : 1));
    }
    for (auto& weight : weights) weight /= sum;
    return weights;
  }
  void end(const LuongOptions& options, const PlainVector& context) {
    if (!options.input_feeding) return;
    auto both = context;
    both.insert(both.end(), query_.begin(), query_.end());
    memory_ = affine(at("attentional_w"), PlainVector(c_), both, 0, c_);
    for (auto& value : memory_) value = std::tanh(value);
  }

  // Moves each head to the first token with a stop probability of at least 1/2.
  void begin(const MmaOptions&) {
    p_ = 0;
    stops_.resize(heads_);
    for (std::size_t h = 0; h < heads_; ++h) {
      const auto energies = dot_scores(h);
      auto& j = stops_[h];
      while (j + 1 < energies.size() && sigmoid(energies[j] + at("energy_bias")[0][h]) < 0.5) ++j;
      p_ = std::max(p_, static_cast<double>(j));
    }
  }
  PlainVector weigh(const MmaOptions&, std::size_t h) const {
    PlainVector weights(static_cast<std::size_t>(seen_));
    weights[stops_[h]] = 1;
    return weights;
  }

  PlainVector weigh(const SactOptions& options, std::size_t h) const {
    double sum = 0;
    for (std::size_t i = 0; i < c_; ++i)
      sum += at("temperature_c")[i][0] * memory_[i] + at("temperature_s")[i][0] * query_[i];
    const double tau = std::pow(options.lambda, std::tanh(sum));
    auto scores = dot_scores(h);
    for (auto& score : scores) score /= tau;
    return softmax(scores);
  }
  void end(const SactOptions&, const PlainVector& context) { memory_ = context; }

  const PlainAttention& plain_;
  std::size_t c_;
  std::size_t heads_;
  std::size_t d_;
  PlainMatrix keys_;
  PlainMatrix values_;
  PlainVector memory_;  // of the step before
  PlainVector sums_;
  PlainVector positions_;
  std::vector<std::size_t> stops_;
  PlainVector query_;
  int t_ = 0;
  int seen_ = 0;
  double p_ = 0;
};

}  // namespace

PlainAttention::Result PlainAttention::operator()(const PlainMatrix& x, const PlainMatrix& z,
                                                  const std::vector<int>& visible) const {
  Sentence sentence(*this, z, x.front().size());
  Result result;
  for (std::size_t t = 0; t < x.size(); ++t) {
    result.output.push_back(sentence.step(x[t], visible[t]));
    result.positions.push_back(sentence.p());
  }
  return result;
}

}  // namespace surtitle
