// Shared by the fuzz targets: input as text and as a file, and checks.
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

// Ends the run as a finding unless `holds`.
inline void require(bool holds, std::string_view what, std::string_view found = {}) {
  if (!holds) {
    std::fprintf(stderr, "fuzz: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
                 static_cast<int>(found.size()), found.data());
    std::abort();
  }
}

// Requires an error message to be one line, for any input.
inline void require_one_line(std::string_view message) {
  bool one_line = !message.empty();
  for (const char c : message) {
    one_line = one_line && static_cast<unsigned char>(c) >= ' ';
  }
  require(one_line, "an error message is not one line of text", message);
}

// Removes the first byte of the input, which makes a choice, and returns it; 0 if there is none.
inline std::uint8_t take_byte(std::string_view& input) {
  const auto byte = input.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(input.front());
  input.remove_prefix(input.empty() ? 0 : 1);
  return byte;
}

// A file in memory with a path, for functions that read files.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    const ssize_t written = write(descriptor_, content.data(), content.size());
    require(written == static_cast<ssize_t>(content.size()), "cannot write a file in memory");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace surtitle::fuzz
