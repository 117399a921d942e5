// Dropout for training.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace surtitle {

// Seeds the masks that this thread draws from now on. CUDA has LibTorch's generator instead.
void seed_dropout(std::uint64_t seed);

// Zeroes each element with `probability` and scales the rest by 1 / (1 - probability). On the CPU
// the mask is a hash of the element's index and one drawn seed, and is recomputed in the backward
// pass: LibTorch's generator is serial and costs more there than the matrix products of a small
// model.
torch::Tensor dropout(const torch::Tensor& x, double probability);

// x + dropout(y, probability), in one pass over both on the CPU.
torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& y, double probability);

}  // namespace surtitle
