// Linear layers for training.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// x [..., inputs] times weight [outputs, inputs] transposed, plus bias [outputs]: [..., outputs].
// The product and its gradients are computed in the type of x; those of weight and bias are summed
// in the type of these. The bias' gradient, which LibTorch's CPU sums slowly in bfloat16, is summed
// in float32.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias);

}  // namespace surtitle
