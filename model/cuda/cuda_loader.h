// Where the CUDA module is found and opened.
#pragma once

#include "model/cuda/module.h"

namespace surtitle {

// The functions of the module on this machine's device. The first call opens the module, unless the
// machine has no driver: then nothing is loaded. Thread-safety: any thread. Throws
// std::runtime_error with the reason why there is no device.
const cuda_module::Functions& cuda_functions();

// Those of the module, device or not.
const cuda_module::Functions& open_cuda_module();

}  // namespace surtitle
