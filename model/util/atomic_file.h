// Writes a file so that a reader, or a crash, never sees half of it: into FILE.tmp beside it, to
// the disk, then by rename.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

namespace surtitle {

// Every failure is a std::runtime_error naming the file and the system's reason.
// Thread-safety: none; one owner.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& file);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Without commit() the file stays as it was.
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  // Puts what was written in the file's place. To be called once, last.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path file_;
  std::filesystem::path temporary_;
  std::FILE* stream_;
};

}  // namespace surtitle
