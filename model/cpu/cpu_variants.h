// Parts and makers of the CPU's cross-attentions.
//
// Only their sources include it. Thread-safety: immutable after construction; each thread has its
// own CpuCrossScratch.
#pragma once

#include "model/cpu/cpu_cross_attention.h"

namespace surtitle {

// Computes tanh(x W + b1) V + b2, outputs [n]. The tensors are w [C, C], v [C, n], and b1, b2 or
// none.
class CpuPredictor {
 public:
  CpuPredictor() = default;
  CpuPredictor(const CpuCrossWeights& weights, const std::string& w, const std::string& v,
               const std::string& b1 = "", const std::string& b2 = "");

  int outputs() const { return static_cast<int>(outputs_.size()); }
  bool empty() const { return outputs_.empty(); }
  // Returns x in the form of its input, which is the same for every predictor of this width.
  MatrixInput input(const float* x, std::int64_t rows, const CpuCrossScratch& scratch) const {
    return hidden_.prepare(x, rows, *scratch.bytes);
  }
  // Writes row r's outputs to y + r * stride.
  void operator()(const MatrixInput& input, const CpuCrossScratch& scratch, float* y,
                  std::int64_t stride) const;

 private:
  CpuLinear hidden_;
  std::vector<AlignedVector<float>> outputs_;  // columns of V, [C] each
  std::vector<float> bias_;                    // [n]
};

// Returns the transpose, [columns, rows], of a row-major matrix [rows, columns].
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
