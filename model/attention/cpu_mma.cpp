// model/attention/mma.h on the CPU.
#include <algorithm>

#include "model/attention/cpu_variants.h"

namespace surtitle {
namespace {

// Far below every score, and finite.
constexpr float kElsewhere = -1e30F;

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

  void weigh(const CpuCrossStep& step, CpuCurves& curves, CpuCache::Query& query) const override {
    query.bias = curves.bias.data();
    query.head_stride = step.visible;
    std::fill_n(curves.bias.data(), predicted() * step.visible, kElsewhere);
    for (int head = 0; head < predicted(); ++head)
      curves.bias[static_cast<std::size_t>(head * step.visible) +
                  static_cast<std::size_t>(step.sums[head])] = 0;
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
