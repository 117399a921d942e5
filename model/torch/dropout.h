// Dropout for training.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// Zeroes each element with `probability` and scales the rest by 1 / (1 - probability). On the CPU
// the mask comes from a hash of the element's index and one drawn seed, and is recomputed in the
// backward pass: LibTorch's generator is serial and costs more there than the matrix products of a
// small model.
torch::Tensor dropout(const torch::Tensor& x, double probability);

}  // namespace surtitle
