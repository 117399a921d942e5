// A tensor's numbers in float32, whatever it is stored in.
#pragma once

#include <vector>

#include "model/package/safetensors.h"

namespace surtitle {

// REQUIRES: F32, F16 or BF16.
std::vector<float> float_values(const TensorView& tensor);

}  // namespace surtitle
