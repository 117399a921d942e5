#include "model/util/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace surtitle {

AtomicFile::AtomicFile(const std::filesystem::path& file)
    : file_(file),
      temporary_(file.string() + ".tmp"),
      stream_(std::fopen(temporary_.c_str(), "wb")) {
  if (stream_ == nullptr) fail("cannot be written");
}

AtomicFile::~AtomicFile() {
  if (stream_ == nullptr) return;
  static_cast<void>(std::fclose(stream_));
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // data() may be null
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size())
    fail("cannot be written");
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::commit() {
  if (std::fflush(stream_) != 0 || fsync(fileno(stream_)) != 0) fail("cannot be written");
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) fail("cannot be written");
  if (std::rename(temporary_.c_str(), file_.c_str()) != 0) fail("cannot be replaced");
}

void AtomicFile::fail(const char* what) const {
  throw std::runtime_error(file_.string() + ": " + what + ": " +
                           std::generic_category().message(errno));
}

}  // namespace surtitle
