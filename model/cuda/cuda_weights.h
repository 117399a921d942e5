// A package's weights as the CUDA module takes them.
//
// What can be computed once is computed here, in float32: queries are scaled by d^(-1/2), GMA's wp
// is multiplied with the query's projection, so that one product gives both, and the keys and
// values of all decoder layers are one matrix. Heads get channels of zeros up to a power of two of
// at least 8, so that a head is whole packs of 16 bytes and shuffles sum it.
#pragma once

#include <deque>
#include <vector>

#include "model/cuda/module.h"
#include "model/package/package.h"

namespace surtitle {

class CudaWeights {
 public:
  // Sinusoids for so many positions. Throws std::runtime_error where the model's heads are wider
  // than a device's code takes.
  CudaWeights(const Package& package, int positions);
  CudaWeights(const CudaWeights&) = delete;
  CudaWeights& operator=(const CudaWeights&) = delete;

  // Points into this object.
  const cuda_module::Model& model() const { return model_; }

 private:
  class Reader;

  cuda_module::Values keep(std::vector<float> values);

  cuda_module::Model model_{};
  std::vector<cuda_module::Layer> encoder_;
  std::vector<cuda_module::Layer> decoder_;
  std::deque<std::vector<float>> values_;
};

}  // namespace surtitle
