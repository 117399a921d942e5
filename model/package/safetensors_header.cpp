#include "model/package/safetensors_header.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <charconv>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace surtitle {
namespace {

using std::filesystem::path;

constexpr std::array kDTypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64,
                                DType::kI64, DType::kI32, DType::kI8,   DType::kU8};
constexpr std::size_t kMaxDimensions = 16;

// Parses the subset of JSON that a header may have: objects, strings and arrays of whole numbers. A
// general JSON parser would silently drop repeated names.
class HeaderReader {
 public:
  HeaderReader(std::string_view json, const path& file) : json_(json), rest_(json), file_(file) {}

  SafetensorsHeader read() {
    SafetensorsHeader header;
    std::set<std::string> names;
    read_object([&](std::string name) {
      tensor_ = name;
      if (!names.insert(name).second) fail("the name twice", "every name once");
      if (name == "__metadata__") {
        read_metadata(header.metadata);
      } else {
        header.entries.push_back(read_entry(std::move(name)));
      }
      tensor_.clear();
    });
    skip_space();
    if (!rest_.empty()) fail("text after the header's object", "only spaces");
    return header;
  }

 private:
  void read_metadata(std::map<std::string, std::string>& metadata) {
    read_object([&](std::string key) {
      if (!metadata.emplace(key, read_string()).second)
        fail("'" + printable(key) + "' twice", "once");
    });
  }

  HeaderEntry read_entry(std::string name) {
    constexpr std::string_view kFields = "the fields dtype, shape and data_offsets, each once";
    HeaderEntry entry;
    std::set<std::string> fields;
    std::vector<std::uint64_t> offsets;
    read_object([&](const std::string& field) {
      if (!fields.insert(field).second) fail("'" + printable(field) + "' twice", kFields);
      if (field == "dtype") {
        entry.dtype = read_dtype();
      } else if (field == "shape") {
        for (const std::uint64_t size : read_numbers(kMaxDimensions)) {
          entry.shape.push_back(static_cast<std::int64_t>(size));
        }
      } else if (field == "data_offsets") {
        offsets = read_numbers(/*most=*/2);
      } else {
        fail("the field '" + printable(field) + "'", kFields);
      }
    });
    if (fields.size() != 3) fail(std::to_string(fields.size()) + " fields", kFields);
    if (offsets.size() != 2) fail("one data offset", "two");
    entry.name = std::move(name);
    entry.begin = offsets[0];
    entry.end = offsets[1];
    return entry;
  }

  DType read_dtype() {
    const std::string name = read_string();
    std::string known;
    for (const DType dtype : kDTypes) {
      if (to_string(dtype) == name) return dtype;
      known.append(known.empty() ? "one of " : ", ").append(to_string(dtype));
    }
    fail("dtype '" + printable(name) + "'", known);
  }

  template <typename Member>
  void read_object(Member member) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string key = read_string();
      expect(':');
      member(std::move(key));
    } while (accept(','));
    expect('}');
  }

  std::vector<std::uint64_t> read_numbers(std::size_t most) {
    std::vector<std::uint64_t> numbers;
    expect('[');
    if (accept(']')) return numbers;
    do {
      if (numbers.size() == most) fail("more numbers", "at most " + std::to_string(most));
      numbers.push_back(read_number());
    } while (accept(','));
    expect(']');
    return numbers;
  }

  std::uint64_t read_number() {
    skip_space();
    std::int64_t value = 0;  // signed, as larger sizes are never valid
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (result.ec != std::errc{} || value < 0) fail(here(), "a number from 0 to 2^63 - 1");
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    return static_cast<std::uint64_t>(value);
  }

  std::string read_string() {
    skip_space();
    if (!rest_.starts_with('"')) fail(here(), "a string");
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) fail("a string without an end", "a string");
    boost::json::error_code code;
    const boost::json::value text = boost::json::parse(rest_.substr(0, end + 1), code);
    if (code) fail(here(), "a string in UTF-8");
    rest_.remove_prefix(end + 1);
    return std::string(text.get_string());
  }

  void skip_space() {
    const std::size_t space = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(space, rest_.size()));
  }
  bool accept(char character) {
    skip_space();
    if (!rest_.starts_with(character)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char character) {
    if (!accept(character)) fail(here(), std::string("'") + character + "'");
  }

  std::string here() const {
    return (rest_.empty() ? "the end" : "something else") + std::string(" at byte ") +
           std::to_string(json_.size() - rest_.size()) + " of the header";
  }

  [[noreturn]] void fail(const std::string& found, std::string_view expected) const {
    if (!tensor_.empty()) throw std::runtime_error(tensor_error(file_, tensor_, found, expected));
    throw std::runtime_error(file_.string() + ": header: found " + found + ", expected " +
                             std::string(expected));
  }

  std::string_view json_;
  std::string_view rest_;
  const path& file_;
  std::string tensor_;  // the tensor that is being read
};

std::string range_text(const HeaderEntry& entry) {
  return "bytes " + std::to_string(entry.begin) + " to " + std::to_string(entry.end);
}

// Checks that every tensor has the size of its shape, and that the tensors cover the data without
// gaps and overlaps.
void check_layout(const SafetensorsHeader& header, std::uint64_t data_size, const path& file) {
  std::uint64_t at = 0;
  for (const HeaderEntry& entry : header.entries) {
    const auto size = tensor_size(entry.dtype, entry.shape);
    const std::string kind = std::string(to_string(entry.dtype)) + " " + shape_text(entry.shape);
    if (!size) throw std::runtime_error(tensor_error(file, entry.name, kind, "a smaller shape"));
    if (entry.end < entry.begin || entry.end - entry.begin != *size) {
      throw std::runtime_error(tensor_error(file, entry.name, range_text(entry),
                                            std::to_string(*size) + " bytes for " + kind));
    }
    if (entry.begin != at) {
      throw std::runtime_error(tensor_error(
          file, entry.name, range_text(entry),
          "a begin at byte " + std::to_string(at) + ", the end of the tensor before it"));
    }
    if (entry.end > data_size) {
      throw std::runtime_error(
          tensor_error(file, entry.name, range_text(entry),
                       "at most " + std::to_string(data_size) + "; the file is truncated"));
    }
    at = entry.end;
  }
  if (at != data_size) {
    throw std::runtime_error(file.string() + ": found " + std::to_string(data_size - at) +
                             " bytes after the last tensor, expected none");
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size,
                                           const path& file) {
  SafetensorsHeader header = HeaderReader(json, file).read();
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const HeaderEntry& a, const HeaderEntry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  check_layout(header, data_size, file);
  return header;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMaxLength = 200;
  std::string line(text.substr(0, kMaxLength));
  for (char& character : line) {
    if (static_cast<unsigned char>(character) < 0x20) character = '?';
  }
  return line;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

std::string tensor_error(const path& file, std::string_view tensor, std::string_view found,
                         std::string_view expected) {
  return file.string() + ": tensor '" + printable(tensor) + "': found " + std::string(found) +
         ", expected " + std::string(expected);
}

std::optional<std::uint64_t> tensor_size(DType dtype,
                                         const std::vector<std::int64_t>& shape) noexcept {
  std::uint64_t size = byte_size(dtype);
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(dimension);
    if (factor != 0 && size > std::numeric_limits<std::int64_t>::max() / factor)
      return std::nullopt;
    size *= factor;
  }
  return size;
}

}  // namespace surtitle
