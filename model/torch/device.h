// Choice of device, type of products and threads for LibTorch.
//
// Thread-safety: call these before other threads use LibTorch.
#pragma once

#include <torch/torch.h>

#include <string>

namespace surtitle {

// Returns the device "cpu", "cuda", or "auto": CUDA if there is a device. Throws
// std::invalid_argument with the allowed names.
torch::Device select_device(const std::string& name);

// The type of matrix products and its speed.
struct Products {
  torch::ScalarType type = torch::kFloat;
  double rate = 0;  // FLOP/s of large products on this machine; 0: not measured
};

// Returns bfloat16 on CUDA. On the CPU it returns bfloat16 if a measurement of a tenth of a second
// finds it faster by a third, otherwise float32. bfloat16 gains from AMX and AVX512-BF16 with a
// recent oneDNN; it loses on other CPUs or with an old oneDNN. Call set_threads() first.
Products measure_products(torch::Device device);

// Sets the threads of the CPU's matrix products; 0: one for each available processor.
void set_threads(int threads);

}  // namespace surtitle
