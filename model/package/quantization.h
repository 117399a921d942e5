// Packages whose matrices are stored in 8 bits: half the size of float16.
#pragma once

#include <filesystem>

#include "model/package/package.h"

namespace surtitle {

// Writes a copy of `package` with its embeddings, projections and feed-forward matrices in 8 bits,
// as quantize_row() in model/util/row_quantization.h rounds them for the 8-bit engine, too. That
// engine multiplies by the same bytes as with the original; only what it keeps in float32, the
// embeddings that it adds to positions, is rounded. The other tensors, and the other files of the
// folder, stay as they are. Throws std::runtime_error if `folder` is the package's own or a file
// cannot be written.
void write_quantized_package(const Package& package, const std::filesystem::path& folder);

}  // namespace surtitle
