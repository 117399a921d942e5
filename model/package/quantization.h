// Packages whose matrices are stored in 8 bits, which is half the size of float16.
#pragma once

#include <filesystem>

#include "model/package/package.h"

namespace surtitle {

// Writes a copy of `package` with its embeddings, projections and feed-forward matrices in 8 bits.
//
// They are rounded by quantize_row() (model/util/row_quantization.h), as in the 8-bit engine. That
// engine multiplies by the same bytes as with the original package. Only the embeddings that it
// adds to positions differ, as it keeps them in float32. All other tensors and files of the folder
// are copied. Throws std::runtime_error if `folder` is the package's own folder or a file cannot be
// written.
void write_quantized_package(const Package& package, const std::filesystem::path& folder);

}  // namespace surtitle
