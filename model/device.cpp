#include "model/device.h"

#include <stdexcept>
#include <thread>

namespace surtitle {

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
  bool bfloat16 = device.is_cuda();
#if defined(__x86_64__)
  bfloat16 = bfloat16 || __builtin_cpu_supports("avx512bf16") != 0;
#endif
  return bfloat16 ? torch::kBFloat16 : torch::kFloat;
}

void set_threads(int threads) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  torch::set_num_threads(threads > 0 ? threads : std::max(cores, 1));
}

}  // namespace surtitle
