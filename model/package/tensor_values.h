// Converts the numbers of a tensor to float32.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/package/safetensors.h"

namespace surtitle {

// The scales of an 8-bit weight NAME [rows, columns] are the tensor "NAME.scale" [rows] in F32:
// a number is its byte times the scale of its row.
inline constexpr std::string_view kScaleSuffix = ".scale";

// Returns the numbers of a tensor. REQUIRES: F32, F16 or BF16.
std::vector<float> float_values(const TensorView& tensor);

// Returns the numbers of the tensor `name` in `file`, which may also be I8 with scales. REQUIRES:
// the tensor and its scales exist in their shapes.
std::vector<float> float_values(const SafetensorsFile& file, const std::string& name);

}  // namespace surtitle
