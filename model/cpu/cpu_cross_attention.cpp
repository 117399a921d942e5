#include "model/cpu/cpu_cross_attention.h"

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"
#include "model/package/tensor_values.h"

namespace surtitle {
namespace {

class DotProduct final : public CpuCrossAttention {
 public:
  DotProduct(const DotProductOptions& options, std::int64_t width)
      : factor_(static_cast<float>(1 / options.temperature)), width_(width) {}

  void weigh(const CpuCrossStep& step, CpuCurves&, KvCache::Query&) const override {
    if (factor_ == 1) return;
    for (std::int64_t c = 0; c < width_; ++c) step.query[c] *= factor_;
  }

 private:
  float factor_;
  std::int64_t width_;
};

}  // namespace

void CpuCrossAttention::advance(const float* increments, int, const double* before,
                                double* sums) const {
  for (int i = 0; i < predicted(); ++i) sums[i] = before[i] + static_cast<double>(increments[i]);
}

std::vector<float> CpuCrossWeights::values(const std::string& name) const {
  return float_values(file, prefix + name);
}

std::vector<float> transposed(const std::vector<float>& matrix, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(matrix.size()) / columns;
  std::vector<float> result(matrix.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t n = 0; n < columns; ++n)
      result[static_cast<std::size_t>(n * rows + i)] =
          matrix[static_cast<std::size_t>(i * columns + n)];
  return result;
}

CpuPredictor::CpuPredictor(const CpuCrossWeights& weights, const std::string& w,
                           const std::string& v, const std::string& b1, const std::string& b2)
    : hidden_(transposed(weights.values(w), weights.width),
              b1.empty() ? std::vector<float>() : weights.values(b1), weights.width,
              weights.precision) {
  const auto values = weights.values(v);
  const auto count = static_cast<std::int64_t>(values.size()) / weights.width;
  const auto columns = transposed(values, count);
  for (std::int64_t i = 0; i < count; ++i)
    outputs_.emplace_back(columns.begin() + i * weights.width,
                          columns.begin() + (i + 1) * weights.width);
  bias_ = b2.empty() ? std::vector<float>(outputs_.size()) : weights.values(b2);
}

void CpuPredictor::operator()(const MatrixInput& input, const CpuCrossScratch& scratch, float* y,
                              std::int64_t stride) const {
  const auto width = hidden_.outputs();
  hidden_.multiply(input, {.first = 0, .count = width, .y = scratch.wide, .stride = width});
  for (std::int64_t row = 0; row < input.rows; ++row) {
    float* hidden = scratch.wide + row * width;
    if (outputs_.size() == 1) {
      y[row * stride] = dot_tanh(hidden, outputs_.front().data(), width) + bias_.front();
      continue;
    }
    tanh_of(hidden, width);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      y[row * stride + static_cast<std::int64_t>(i)] =
          dot(hidden, outputs_[i].data(), width) + bias_[i];
  }
}

std::unique_ptr<const CpuCrossAttention> make_cpu(const DotProductOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<DotProduct>(options, weights.width);
}

std::unique_ptr<const CpuCrossAttention> make_cpu_cross_attention(const CrossAttention& attention,
                                                                  const CpuCrossWeights& weights) {
  return std::visit([&](const auto& options) { return make_cpu(options, weights); }, attention);
}

}  // namespace surtitle
