// Linear layers for training.
//
// Thread-safety: linear() may be called from any thread.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// Returns x [..., inputs] times weight [outputs, inputs] transposed, plus bias [outputs]: [...,
// outputs]. The product and its gradients are computed in the type of x. The gradients of weight
// and bias are summed in the type of weight and bias. The bias' gradient is summed in float32,
// because LibTorch's CPU sums it slowly in bfloat16.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias);

}  // namespace surtitle
