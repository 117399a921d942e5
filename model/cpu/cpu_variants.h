// What the cross-attentions of the CPU are made with, for their own sources.
#pragma once

#include "model/cpu/cpu_cross_attention.h"

namespace surtitle {

// tanh(x W + b1) V + b2, outputs [n]; the tensors are w [C, C], v [C, n], and b1, b2 or none.
class CpuPredictor {
 public:
  CpuPredictor() = default;
  CpuPredictor(const CpuCrossWeights& weights, const std::string& w, const std::string& v,
               const std::string& b1 = "", const std::string& b2 = "");

  int outputs() const { return static_cast<int>(outputs_.size()); }
  bool empty() const { return outputs_.empty(); }
  // As it takes its input; likewise for every predictor of the same width.
  MatrixInput input(const float* x, std::int64_t rows, const CpuCrossScratch& scratch) const {
    return hidden_.prepare(x, rows, *scratch.bytes);
  }
  // Row r's outputs go to y + r stride.
  void operator()(const MatrixInput& input, const CpuCrossScratch& scratch, float* y,
                  std::int64_t stride) const;

 private:
  CpuLinear hidden_;
  std::vector<AlignedVector<float>> outputs_;  // columns of V, [C] each
  std::vector<float> bias_;                    // [n]
};

// Row-major [rows, columns] -> [columns, rows].
std::vector<float> transposed(const std::vector<float>& matrix, std::int64_t columns);

std::unique_ptr<const CpuCrossAttention> make_cpu(const DotProductOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const GmaOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const GaussianMixtureOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const HardCodedOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const LocalnessOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const LuongOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const MmaOptions& options,
                                                  const CpuCrossWeights& weights);
std::unique_ptr<const CpuCrossAttention> make_cpu(const SactOptions& options,
                                                  const CpuCrossWeights& weights);

}  // namespace surtitle
