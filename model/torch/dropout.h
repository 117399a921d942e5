// Dropout for training, fast on the CPU.
//
// Thread-safety: may be called from any thread; each thread has its own seed.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace surtitle {

// Seeds the masks of later calls on this thread. CUDA uses LibTorch's generator.
void seed_dropout(std::uint64_t seed);

// Zeroes each element with `probability` and scales the rest by 1 / (1 - probability). On the CPU
// the mask is a hash of the element's index and one drawn seed, and is recomputed in the backward
// pass. LibTorch's generator is serial and costs more there than the matrix products of a small
// model.
torch::Tensor dropout(const torch::Tensor& x, double probability);

// Returns x + dropout(y, probability), in one pass over both on the CPU.
torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& y, double probability);

}  // namespace surtitle
