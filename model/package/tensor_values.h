// A tensor's numbers in float32, whatever type they are stored in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/package/safetensors.h"

namespace surtitle {

// The scales of an 8-bit weight NAME [rows, columns] are the tensor "NAME.scale" [rows] in F32:
// a number is its byte times the scale of its row.
inline constexpr std::string_view kScaleSuffix = ".scale";

// REQUIRES: F32, F16 or BF16.
std::vector<float> float_values(const TensorView& tensor);

// The same of the tensor `name` in `file`, which may also be I8 with scales. REQUIRES: both exist
// in their shapes.
std::vector<float> float_values(const SafetensorsFile& file, const std::string& name);

}  // namespace surtitle
