// Where tensors live and how many threads work on them.
#pragma once

#include <torch/torch.h>

#include <string>

namespace surtitle {

// "cpu", "cuda", or "auto": CUDA where there is one. Throws std::invalid_argument with the allowed
// names.
torch::Device select_device(const std::string& name);

// bfloat16 where the device has units for it, else float32: without AVX512-BF16 or AMX, oneDNN
// emulates bfloat16 on the CPU at a third of float32's speed.
torch::ScalarType matrix_product_type(torch::Device device);

// Threads of the CPU's matrix products; 0: one for each core.
void set_threads(int threads);

}  // namespace surtitle
