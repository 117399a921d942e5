#include "model/cuda/cuda_loader.h"

#include <dlfcn.h>

#include <array>
#include <stdexcept>

#include "model/util/module_loader.h"

namespace surtitle {

const cuda_module::Functions& open_cuda_module() {
  static const auto& functions = module_functions<cuda_module::Functions>(
      "surtitle_cuda.so", cuda_module::kEntry, cuda_module::kVersion, /*own_symbols=*/false);
  return functions;
}

const cuda_module::Functions& cuda_functions() {
  // Checks for the driver's own library first, because opening the module loads cuBLAS, which takes
  // tenths of a second.
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) throw std::runtime_error("no CUDA device: there is no NVIDIA driver");
  const auto& functions = open_cuda_module();
  std::array<char, 256> name{};
  cuda_module::Error error{};
  if (!functions.find(name.data(), name.size(), &error))
    throw std::runtime_error(error.text.data());
  return functions;
}

}  // namespace surtitle
