// Computes model/torch/gaussian_baselines.h on the CPU.
#include <algorithm>
#include <cmath>

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"
#include "model/engine/bounds.h"

namespace surtitle {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

class HardCoded final : public CpuCrossAttention {
 public:
  HardCoded(const HardCodedOptions& options, int heads) : options_(options), heads_(heads) {}

  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    const auto count = static_cast<std::size_t>(heads_) * static_cast<std::size_t>(step.visible);
    std::fill_n(curves.scale.data(), count, 0.0F);
    std::fill_n(curves.added.data(), count, 0.0F);
    const auto sigma = static_cast<float>(options_.sigma);
    const float peak = 1 / (std::sqrt(2 * static_cast<float>(M_PI)) * sigma);
    float* density = curves.added.data();
    for (int h = 0; h < heads_; ++h, density += step.visible) {
      const double centre = options_.ratio * step.target_index + h % 3 - 1;
      add_gaussian(peak, static_cast<float>(centre), sigma, step.visible, density);
    }
    query.scale = curves.scale.data();
    query.added = curves.added.data();
    query.head_stride = step.visible;
  }

 private:
  HardCodedOptions options_;
  int heads_;
};

class Localness final : public CpuCrossAttention {
 public:
  explicit Localness(const CpuCrossWeights& weights)
      : predictor_(weights, "localness_w", "localness_v") {}

  int parameters() const override { return predictor_.outputs(); }

  void prepare(CpuCrossSteps steps, const CpuCrossScratch& scratch) const override {
    const auto rows = static_cast<std::int64_t>(steps.size());
    predictor_(predictor_.input(steps.front().query, rows, scratch), scratch,
               steps.front().parameters, parameters());
  }

  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    const auto j = static_cast<float>(step.visible);
    const float centre = j * sigmoid(step.parameters[0]);
    const float width = j * sigmoid(step.parameters[1]) / 2;
    log_gaussian(centre, std::max(width, static_cast<float>(kMinWidth)), step.visible,
                 curves.bias.data());
    query.bias = curves.bias.data();
  }

 private:
  CpuPredictor predictor_;
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const HardCodedOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<HardCoded>(options, weights.heads);
}

std::unique_ptr<const CpuCrossAttention> make_cpu(const LocalnessOptions&,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<Localness>(weights);
}

}  // namespace surtitle
