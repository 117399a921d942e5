// Computes model/torch/mma.h on the CPU.
#include <algorithm>

#include "model/cpu/cpu_variants.h"

namespace surtitle {
namespace {

class Mma final : public CpuCrossAttention {
 public:
  explicit Mma(const CpuCrossWeights& weights) : bias_(weights.values("energy_bias")) {}

  int predicted() const override { return static_cast<int>(bias_.size()); }
  bool seeks() const override { return true; }

  void energies(float* scores, int count) const override {
    for (const float bias : bias_)
      for (int j = 0; j < count; ++j) *scores++ += bias;
  }

  double position(const double* stops, int) const override {
    return *std::max_element(stops, stops + predicted());
  }

  std::vector<float> positions(const double* stops) const override {
    return {stops, stops + predicted()};
  }

  // Scales softmax by 0 and adds 1 at the stop of each head.
  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    query.scale = curves.scale.data();
    query.added = curves.added.data();
    query.head_stride = step.visible;
    std::fill_n(curves.scale.data(), predicted() * step.visible, 0.0F);
    std::fill_n(curves.added.data(), predicted() * step.visible, 0.0F);
    float* of_head = curves.added.data();
    for (int head = 0; head < predicted(); ++head, of_head += step.visible)
      of_head[static_cast<std::ptrdiff_t>(step.sums[head])] = 1;
  }

 private:
  std::vector<float> bias_;  // [H]
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const MmaOptions&,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<Mma>(weights);
}

}  // namespace surtitle
