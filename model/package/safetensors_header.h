// Reads and checks the JSON header of a safetensors file.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/package/safetensors.h"

namespace surtitle {

// The header's entry of a tensor, whose bytes are [begin, end) after the header.
struct HeaderEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  // In the order of the data, which they cover without gaps and overlaps.
  std::vector<HeaderEntry> entries;
};

// Parses `json`, the header of `file`, which `data_size` bytes follow. Throws std::runtime_error:
// one line with the file, the tensor if there is one, what was found and what was expected.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size,
                                           const std::filesystem::path& file);

// Returns `text` for a message of one line: control characters become '?', and a long text is cut.
std::string printable(std::string_view text);

// Returns "[3, 4]".
std::string shape_text(const std::vector<std::int64_t>& shape);

// Returns "FILE: tensor 'NAME': found FOUND, expected EXPECTED" on one line.
std::string tensor_error(const std::filesystem::path& file, std::string_view tensor,
                         std::string_view found, std::string_view expected);

// Returns the bytes of a tensor, or nullopt if a dimension is negative or the product overflows.
std::optional<std::uint64_t> tensor_size(DType dtype,
                                         const std::vector<std::int64_t>& shape) noexcept;

}  // namespace surtitle
