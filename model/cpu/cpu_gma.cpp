// Computes model/torch/gma.h on the CPU.
#include <algorithm>
#include <cmath>

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"
#include "model/engine/bounds.h"

namespace surtitle {
namespace {

using Options = GmaOptions;

class Gma final : public CpuCrossAttention {
 public:
  Gma(const Options& options, const CpuCrossWeights& weights)
      : options_(options), positions_(alignments(options, weights.heads)) {
    // A layer that follows another uses no wp, even if the package has one.
    if (weights.leads) step_ = CpuPredictor(weights, "wp", "vp");
    if (predicts_sigma()) sigma_ = CpuPredictor(weights, "sigma_w", "sigma_v");
  }

  int predicted() const override { return step_.outputs(); }
  int parameters() const override { return sigma_.outputs(); }

  void increments(const float* query, std::int64_t rows, const CpuCrossScratch& scratch,
                  float* increments) const override {
    if (step_.empty()) return;
    step_(step_.input(query, rows, scratch), scratch, increments, positions_);
    for (std::int64_t i = 0; i < rows * positions_; ++i) increments[i] = std::exp(increments[i]);
  }

  void advance(const float* increments, int target_index, const double* before,
               double* sums) const override {
    const bool absolute = options_.alignment == Options::Alignment::kAbsolute;
    for (int i = 0; i < positions_; ++i) {
      const bool first = !absolute && target_index == 0;
      const auto own = static_cast<double>(first ? 0.0F : increments[i]);
      sums[i] = absolute ? own : before[i] + own;
    }
  }

  double position(const double* sums, int) const override {
    return std::clamp(*std::max_element(sums, sums + positions_), kMinPosition, kMaxPosition);
  }

  std::vector<float> positions(const double* sums) const override {
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(positions_));
    for (int i = 0; i < positions_; ++i)
      result.push_back(static_cast<float>(std::clamp(sums[i], kMinPosition, kMaxPosition)));
    return result;
  }

  void prepare(CpuCrossSteps steps, const CpuCrossScratch& scratch) const override {
    if (sigma_.empty()) return;
    const auto rows = static_cast<std::int64_t>(steps.size());
    sigma_(sigma_.input(steps.front().query, rows, scratch), scratch, steps.front().parameters,
           positions_);
  }

  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    if (options_.prior == Options::Prior::kNone) return;
    query.bias = curves.bias.data();
    query.head_stride = positions_ > 1 ? step.visible : 0;
    float* bias = curves.bias.data();
    for (int i = 0; i < positions_; ++i, bias += step.visible) {
      const auto p = static_cast<float>(std::clamp(step.sums[i], kMinPosition, kMaxPosition));
      log_prior(p, sigma(p, step, i), step.visible, bias);
    }
  }

 private:
  bool predicts_sigma() const {
    return options_.sigma == Options::Sigma::kPredicted && options_.prior != Options::Prior::kNone;
  }

  float sigma(float p, const CpuCrossStep& step, int i) const {
    switch (options_.sigma) {
      case Options::Sigma::kWhole:
        return p;
      case Options::Sigma::kHalf:
        return p / 2;
      case Options::Sigma::kThird:
        return p / 3;
      case Options::Sigma::kPredicted:
        break;
    }
    return std::max(std::exp(step.parameters[i]), static_cast<float>(kMinWidth));
  }

  void log_prior(float p, float sigma, int visible, float* bias) const {
    if (options_.prior == Options::Prior::kGaussian) {
      log_gaussian(p, sigma, visible, bias);
      return;
    }
    const bool laplace = options_.prior == Options::Prior::kLaplace;
    for (int j = 0; j < visible; ++j) {
      const float distance = std::abs(p - static_cast<float>(j)) / sigma;
      bias[j] =
          laplace ? -distance : std::log(std::max(1 - distance / 2, static_cast<float>(kMinPrior)));
    }
  }

  Options options_;
  int positions_;
  CpuPredictor step_;
  CpuPredictor sigma_;
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const GmaOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<Gma>(options, weights);
}

}  // namespace surtitle
