// The safetensors file format.
//
// A file has an 8-byte little-endian header length, a JSON header, and the raw tensors. Files are
// not trusted: the header's length and every offset, shape and dtype are checked against the file's
// size before they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace surtitle {

enum class DType { kF32, kF16, kBF16, kF64, kI64, kI32, kI8, kU8 };

std::size_t byte_size(DType dtype) noexcept;
std::string_view to_string(DType dtype) noexcept;  // "F32", as in the header

// A tensor in a file or in a buffer of the caller; row-major, little-endian.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

// A read-only, memory-mapped file.
//
// The views are valid during the lifetime of the SafetensorsFile, even if it is moved. Their data
// may be unaligned in files of other programs; copy it with memcpy(). Replace an open file only by
// a rename: if it is truncated, reading it ends the program.
//
// Thread-safety: immutable after construction.
class SafetensorsFile {
 public:
  // Opens and checks a file. Throws std::runtime_error: one line with the file, the tensor if there
  // is one, what was found and what was expected.
  explicit SafetensorsFile(const std::filesystem::path& file);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  const std::filesystem::path& path() const noexcept;
  const std::map<std::string, std::string>& metadata() const noexcept;
  const std::vector<TensorView>& tensors() const noexcept;       // in the order of their data
  const TensorView* find(std::string_view name) const noexcept;  // nullptr if there is none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes `file` as a temporary file beside it and renames that, so that readers never see a part of
// it. Throws std::runtime_error with the file and the system's reason. Throws it, too, for a tensor
// whose name is not unique or whose data does not fit its shape.
void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace surtitle
