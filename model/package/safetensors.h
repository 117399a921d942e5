// The safetensors file format: an 8-byte little-endian header length, a JSON header, then raw
// tensors.
//
// Nothing in a file is trusted: the header's length, every offset, shape and dtype is checked
// against the file's size before anything is allocated.
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

// A tensor inside a file or a buffer of the caller's; row-major, little-endian.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

// A read-only, memory-mapped file. The views live as long as the SafetensorsFile and survive its
// being moved. Their data need not be aligned (files of ours are, others' may not be): copy it with
// memcpy. Replace an open file by rename only; cutting it short under its reader ends the program.
// Thread-safety: immutable after construction.
class SafetensorsFile {
 public:
  // Throws std::runtime_error: one line with the file, the tensor where there is one, found and
  // expected.
  explicit SafetensorsFile(const std::filesystem::path& file);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  const std::filesystem::path& path() const noexcept;
  const std::map<std::string, std::string>& metadata() const noexcept;
  const std::vector<TensorView>& tensors() const noexcept;       // in the order of their data
  const TensorView* find(std::string_view name) const noexcept;  // nullptr where there is none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes `file` by way of a temporary file beside it and a rename, so a reader never sees half of
// it. Throws std::runtime_error naming the file and the system's reason.
void write_safetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace surtitle
