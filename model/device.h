// Where tensors live and how many threads work on them.
#pragma once

#include <torch/torch.h>

#include <string>

namespace surtitle {

// "cpu", "cuda", or "auto": CUDA where there is one. Throws std::invalid_argument with the allowed
// names.
torch::Device select_device(const std::string& name);

// Threads of the CPU's matrix products; 0: one for each core.
void set_threads(int threads);

}  // namespace surtitle
