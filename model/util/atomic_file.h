// Writes a file atomically: FILE.tmp beside it, fsync, then rename.
//
// A reader, or a machine after a crash, never sees a partly written file. Every failure is a
// std::runtime_error naming the file and the system's reason. Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

namespace surtitle {

class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& file);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Without commit(), removes the temporary file and leaves `file` unchanged.
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  // Replaces the file. To be called once, last.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path file_;
  std::filesystem::path temporary_;
  std::FILE* stream_;
};

}  // namespace surtitle
