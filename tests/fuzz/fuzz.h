// What the fuzz targets share: bytes as text and as a file, and what an error message must be.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace surtitle::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the run as a finding.
inline void require(bool holds, std::string_view what, std::string_view found = {}) {
  if (!holds) {
    std::fprintf(stderr, "fuzz: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
                 static_cast<int>(found.size()), found.data());
    std::abort();
  }
}

// Errors are one sentence on one line, whatever the input holds.
inline void require_one_line(std::string_view message) {
  bool one_line = !message.empty();
  for (const char c : message) {
    one_line = one_line && static_cast<unsigned char>(c) >= ' ';
  }
  require(one_line, "an error message is not one line of text", message);
}

// Takes the first byte, 0 where there is none: a choice.
inline std::uint8_t take_byte(std::string_view& input) {
  const auto byte = input.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(input.front());
  input.remove_prefix(input.empty() ? 0 : 1);
  return byte;
}

// Bytes as a file that is in memory alone, for readers that want a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    const ssize_t written = write(descriptor_, content.data(), content.size());
    require(written == static_cast<ssize_t>(content.size()), "no memory for a file");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace surtitle::fuzz
