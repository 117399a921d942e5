// Computes model/torch/sact.h on the CPU.
#include <algorithm>
#include <cmath>

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"

namespace surtitle {
namespace {

class Sact final : public CpuCrossAttention {
 public:
  Sact(const SactOptions& options, const CpuCrossWeights& weights)
      : log_lambda_(static_cast<float>(std::log(options.lambda))),
        width_(weights.width),
        of_context_(weights.values("temperature_c")),
        of_query_(weights.values("temperature_s")) {}

  bool recurrent() const override { return true; }
  int parameters() const override { return 1; }  // the temperature

  void weigh(const CpuCrossStep& step, CpuCurves&, KvCache::Query&) const override {
    const float beta = std::tanh(dot(step.before, of_context_.data(), width_) +
                                 dot(step.query, of_query_.data(), width_));
    const float factor = std::exp(-log_lambda_ * beta);
    for (std::int64_t c = 0; c < width_; ++c) step.query[c] *= factor;
    *step.parameters = std::exp(log_lambda_ * beta);
  }

  std::optional<AttentionControl> control(const CpuCrossStep& step) const override {
    return AttentionControl{"temperature", *step.parameters};
  }

  void remember(CpuCrossSteps steps, const CpuCrossScratch&) const override {
    for (const auto& step : steps) std::copy_n(step.context, width_, step.memory);
  }

 private:
  float log_lambda_;
  std::int64_t width_;
  std::vector<float> of_context_;
  std::vector<float> of_query_;
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const SactOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<Sact>(options, weights);
}

}  // namespace surtitle
