// A package's weights in the CUDA module's form.
//
// Constant factors are computed here once, in float32. Queries are scaled by d^(-1/2). GMA's wp is
// multiplied by the query's projection, so that one product gives both. The keys and values of all
// decoder layers are one matrix. Heads are padded with channels of zeros to a multiple of 8. A head
// is then whole packs of 16 bytes, also in half precision.
//
// Thread-safety: immutable after construction.
#pragma once

#include <deque>
#include <vector>

#include "model/cuda/module.h"
#include "model/package/package.h"

namespace surtitle {

class CudaWeights {
 public:
  // `positions`: number of sinusoids. Throws std::runtime_error if the model's heads are wider than
  // kMaxHead or a cross-attention does not run on CUDA.
  CudaWeights(const Package& package, int positions);
  CudaWeights(const CudaWeights&) = delete;
  CudaWeights& operator=(const CudaWeights&) = delete;

  // The model, with pointers into this object.
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
