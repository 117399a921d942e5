// Computes model/torch/gaussian_mixture.h on the CPU.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"
#include "model/engine/bounds.h"

namespace surtitle {
namespace {

using Options = GaussianMixtureOptions;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

class GaussianMixture final : public CpuCrossAttention {
 public:
  GaussianMixture(const Options& options, const CpuCrossWeights& weights)
      : options_(options),
        accumulates_(options.normalisation == Options::Normalisation::kNone),
        mean_(predictor("mean", weights)),
        variance_(predictor("variance", weights)) {
    if (options.shared != Options::Shared::kWeight || accumulates_)
      weight_ = predictor("weight", weights);
    if (options.gate == Options::Gate::kPredicted) gate_ = predictor("gate", weights);
  }

  int predicted() const override { return accumulates_ ? mean_.outputs() : 0; }
  int parameters() const override {
    return mean_.outputs() + variance_.outputs() + weight_.outputs() + gate_.outputs();
  }

  void increments(const float* query, std::int64_t rows, const CpuCrossScratch& scratch,
                  float* increments) const override {
    if (!accumulates_) return;
    mean_(mean_.input(query, rows, scratch), scratch, increments, mean_.outputs());
    for (std::int64_t i = 0; i < rows * mean_.outputs(); ++i)
      increments[i] = std::exp(increments[i]);
  }

  double position(const double* sums, int target_index) const override {
    if (!accumulates_) return target_index;
    return std::min(*std::max_element(sums, sums + mean_.outputs()), kMaxPosition);
  }

  std::vector<float> positions(const double* sums) const override {
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(predicted()));
    for (int i = 0; i < predicted(); ++i)
      result.push_back(static_cast<float>(std::min(sums[i], kMaxPosition)));
    return result;
  }

  void prepare(CpuCrossSteps steps, const CpuCrossScratch& scratch) const override {
    const auto input =
        variance_.input(steps.front().query, static_cast<std::int64_t>(steps.size()), scratch);
    float* at = steps.front().parameters;
    for (const auto* one : {&mean_, &variance_, &weight_, &gate_}) {
      const bool known = one == &mean_ && accumulates_;
      if (!one->empty() && !known) (*one)(input, scratch, at, parameters());
      at += one->outputs();
    }
  }

  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    const auto visible = static_cast<std::size_t>(step.visible);
    float* beta = curves.added.data();
    std::fill_n(beta, visible, 0.0F);
    const float share = gate(step);
    const auto weights = softmax_of(step);
    for (int k = 0; k < options_.components; ++k) {
      const auto one = component(step, k, weights);
      add_gaussian(one.weight, one.mu, one.sigma, step.visible, beta);
    }
    float factor = share;
    if (options_.normalisation == Options::Normalisation::kStrict)
      factor /= std::accumulate(beta, beta + visible, 0.0F);
    for (std::size_t j = 0; j < visible; ++j) beta[j] *= factor;
    std::fill_n(curves.scale.data(), visible, 1 - share);
    query.scale = curves.scale.data();
    query.added = beta;
  }

  std::optional<AttentionControl> control(const CpuCrossStep& step) const override {
    if (gate_.empty()) return {};
    return AttentionControl{"gate", gate(step)};
  }

 private:
  struct Component {
    float weight;  // omega / Z
    float mu;
    float sigma;
  };

  static CpuPredictor predictor(const std::string& name, const CpuCrossWeights& weights) {
    return {weights, name + "_w", name + "_v", name + "_b1", name + "_b2"};
  }

  // Returns the k-th output of a predictor whose outputs begin at `at`, or its only output if it is
  // shared.
  static float output(const CpuPredictor& of, const float* at, int k) {
    return at[std::min(k, of.outputs() - 1)];
  }
  const float* spreads(const CpuCrossStep& step) const { return step.parameters + mean_.outputs(); }
  const float* omegas(const CpuCrossStep& step) const {
    return spreads(step) + variance_.outputs();
  }

  float gate(const CpuCrossStep& step) const {
    if (options_.gate == Options::Gate::kAverage) return 0.5F;
    if (options_.gate == Options::Gate::kMixture) return 1;
    return sigmoid(omegas(step)[weight_.outputs()]);
  }

  // omega = exp(omega^ - highest) / total.
  struct Softmax {
    float highest = 0;
    float total = 1;
  };

  // Returns the softmax of a step; it has no effect if weights are not normalised.
  Softmax softmax_of(const CpuCrossStep& step) const {
    if (accumulates_) return {};
    if (weight_.empty()) return {.total = static_cast<float>(options_.components)};
    const float* omega = omegas(step);
    Softmax result{.highest = *std::max_element(omega, omega + options_.components), .total = 0};
    for (int k = 0; k < options_.components; ++k)
      result.total += std::exp(omega[k] - result.highest);
    return result;
  }

  Component component(const CpuCrossStep& step, int k, const Softmax& softmax) const {
    const auto least = static_cast<float>(kMinWidth);
    const float spread = output(variance_, spreads(step), k);
    float omega = 1 / softmax.total;
    if (!weight_.empty()) omega *= std::exp(output(weight_, omegas(step), k) - softmax.highest);
    if (accumulates_) {
      const double mu = std::min(step.sums[std::min(k, mean_.outputs() - 1)], kMaxPosition);
      return {omega, static_cast<float>(mu), std::max(std::sqrt(std::exp(-spread) / 2), least)};
    }
    const auto j = static_cast<float>(step.visible);
    const float mu = j * sigmoid(output(mean_, step.parameters, k));
    float sigma = sigmoid(spread) * j;
    if (options_.normalisation == Options::Normalisation::kApproximate)
      sigma = std::min({sigma / 6, mu / 3, (j - mu) / 3});
    sigma = std::max(sigma, least);
    return {omega / (std::sqrt(2 * static_cast<float>(M_PI)) * sigma), mu, sigma};
  }

  Options options_;
  bool accumulates_;
  CpuPredictor mean_;
  CpuPredictor variance_;
  CpuPredictor weight_;
  CpuPredictor gate_;
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const GaussianMixtureOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<GaussianMixture>(options, weights);
}

}  // namespace surtitle
