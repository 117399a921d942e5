// Opens the CUDA module.
#pragma once

#include "model/cuda/module.h"

namespace surtitle {

// Returns the module's functions, for this machine's device. The first call opens the module if the
// machine has a driver. Thread-safety: may be called from any thread. Throws std::runtime_error
// with the reason why there is no usable device.
const cuda_module::Functions& cuda_functions();

// Returns the module's functions without a check for a device. Thread-safety and errors: as above.
const cuda_module::Functions& open_cuda_module();

}  // namespace surtitle
