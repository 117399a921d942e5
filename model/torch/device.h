// Where tensors live and how many threads work on them.
#pragma once

#include <torch/torch.h>

#include <string>

namespace surtitle {

// "cpu", "cuda", or "auto": CUDA where there is one. Throws std::invalid_argument with the allowed
// names.
torch::Device select_device(const std::string& name);

// The type that matrix products are computed in.
struct Products {
  torch::ScalarType type = torch::kFloat;
  double rate = 0;  // FLOP/s of large products on this machine; 0: not measured
};

// bfloat16 on CUDA. On the CPU the type whose products a measurement of a tenth of a second finds
// faster by a third: bfloat16 gains from AMX and AVX512-BF16 with a recent oneDNN, and loses on
// other CPUs or with an old one. Call set_threads() first.
Products measure_products(torch::Device device);

// Threads of the CPU's matrix products; 0: one for each available processor.
void set_threads(int threads);

}  // namespace surtitle
