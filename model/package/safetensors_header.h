// The JSON header of a safetensors file, read and checked.
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

// A tensor as the header tells it; its bytes are [begin, end) behind the header.
struct HeaderEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<HeaderEntry>
      entries;  // in the order of their data, which they cover without gap or overlap
};

// Reads `json`, the header of `file`, behind which stand `data_size` bytes. Throws
// std::runtime_error: one line with the file, the tensor where there is one, found and expected.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size,
                                           const std::filesystem::path& file);

// `text` fit for one line of a message: control characters become '?', the rest of a long one is
// cut off.
std::string printable(std::string_view text);

// "[3, 4]".
std::string shape_text(const std::vector<std::int64_t>& shape);

// "FILE: tensor 'NAME': found FOUND, expected EXPECTED", one line whatever the name holds.
std::string tensor_error(const std::filesystem::path& file, std::string_view tensor,
                         std::string_view found, std::string_view expected);

// Bytes of a tensor; nothing where a dimension is negative or the product overflows.
std::optional<std::uint64_t> tensor_size(DType dtype,
                                         const std::vector<std::int64_t>& shape) noexcept;

}  // namespace surtitle
