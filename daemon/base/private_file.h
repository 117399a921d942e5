// Checks of files with secrets, which the daemon reads again on SIGHUP.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "daemon/base/log.h"

namespace surtitle {

// Throws std::runtime_error if `file` exists and is neither a regular file nor a folder: reading a
// pipe or a device could block the thread.
inline void require_file_or_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw std::runtime_error(file.string() + ": is a pipe or a device; must be a regular file");
  }
}

// Logs `warning` if all users of the machine may read `file`. It is no error, because some kinds of
// mounts do not allow other permissions.
inline void warn_if_others_may_read(const std::filesystem::path& file, const std::string& warning) {
  using std::filesystem::perms;
  std::error_code ignored;
  const perms mode = std::filesystem::status(file, ignored).permissions();
  if (!ignored && (mode & perms::others_read) != perms::none) {
    log(LogLevel::kWarning, warning, {{"file", file.string()}});
  }
}

}  // namespace surtitle
