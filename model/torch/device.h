// Where tensors live and how many threads work on them.
#pragma once

#include <torch/torch.h>

#include <string>

namespace surtitle {

// "cpu", "cuda", or "auto": CUDA where there is one. Throws std::invalid_argument with the allowed
// names.
torch::Device select_device(const std::string& name);

// bfloat16 on CUDA and on CPUs that multiply tiles of it (AMX), else float32. Measured for a thread
// without AMX: 90 GFLOP/s in bfloat16 with AVX512-BF16, a third of float32's speed without, and
// 149 in float32.
torch::ScalarType matrix_product_type(torch::Device device);

// Threads of the CPU's matrix products; 0: one for each available processor.
void set_threads(int threads);

}  // namespace surtitle
