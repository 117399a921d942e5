#include "model/torch/device.h"

#include <stdexcept>

#include "model/util/processors.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace surtitle {
namespace {

// Whether the CPU multiplies tiles of bfloat16 (AMX). Of the compiler's own name for it Clang 14
// knows nothing.
bool has_bfloat16_tiles() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & bit_AMX_BF16) != 0;
#else
  return false;
#endif
}

}  // namespace

torch::Device select_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  if (name != "cuda")
    throw std::invalid_argument("device '" + name + "' is unknown; allowed: auto, cpu, cuda");
  if (!torch::cuda::is_available())
    throw std::invalid_argument(
        "device 'cuda': this LibTorch finds no CUDA device; use cpu or auto");
  return torch::kCUDA;
}

torch::ScalarType matrix_product_type(torch::Device device) {
  return device.is_cuda() || has_bfloat16_tiles() ? torch::kBFloat16 : torch::kFloat;
}

void set_threads(int threads) { torch::set_num_threads(threads_or_processors(threads)); }

}  // namespace surtitle
