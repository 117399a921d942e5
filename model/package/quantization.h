// Packages whose matrices are stored in 8 bits, which is half the size of float16.
#pragma once

#include <filesystem>

#include "model/package/package.h"

namespace surtitle {

// Writes a copy of `package` with its embeddings, projections and feed-forward matrices in 8 bits.
//
// Matrices are rounded by quantize_row() (model/util/row_quantization.h), as the 8-bit engine
// rounds them when it loads the original package. Products are therefore the same under both
// packages. The embeddings that are added to positions are not: with the original package, the
// engine has them unrounded. All other tensors and files of the folder are copied. With fewer than
// 8 `bits`, the bytes have only 2^bits - 1 different values: the package is no smaller, but
// archives of it are, by an eighth for each bit. Matrices that are in 8 bits already stay as they
// are. Throws std::runtime_error if `folder` is the package's own folder or a file cannot be
// written. REQUIRES: 2 <= bits <= 8. Thread-safety: may be called from any thread.
void write_quantized_package(const Package& package, const std::filesystem::path& folder,
                             int bits = 8);

}  // namespace surtitle
