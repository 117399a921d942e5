// Linear layers with two ways to compute: LibTorch's, with a gradient, and one from a packed copy
// of the weight for inference on the CPU (model/packed_matrix.h).
#pragma once

#include <torch/torch.h>

#include "model/packed_matrix.h"

namespace surtitle {

// A copy of `weight` [outputs, inputs] for inference on the CPU.
PackedMatrix pack(const torch::Tensor& weight);

// x [..., inputs] -> x W^T of outputs [first, first + count), plus bias [outputs] where defined:
// [..., count]. From `packed` where it is not empty, else from `weight` [outputs, inputs].
struct LinearWeights {
  const torch::Tensor& weight;
  const torch::Tensor& bias;
  const PackedMatrix& packed;
};
torch::Tensor linear(const torch::Tensor& x, const LinearWeights& weights, std::int64_t first,
                     std::int64_t count);

// y = x W^T + b with parameters `weight` [outputs, inputs] and `bias` [outputs].
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(std::int64_t inputs, std::int64_t outputs);

  torch::Tensor forward(const torch::Tensor& x) const;
  // From now on forward() uses a copy of the weight as it is now.
  void pack_weight() { packed_ = pack(weight_); }

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
  PackedMatrix packed_;
};
TORCH_MODULE(Linear);

}  // namespace surtitle
