// Files with secrets, which are read again while the daemon serves.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "daemon/base/log.h"

namespace surtitle {

// A pipe would hold up whoever reads it until somebody writes. Throws std::runtime_error.
inline void refuse_pipe(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw std::runtime_error(file.string() + ": it is a pipe or a device, and must be a file");
  }
}

// Some ways of mounting files leave no choice, so that this is no error.
inline void warn_where_others_read(const std::filesystem::path& file, const std::string& warning) {
  using std::filesystem::perms;
  std::error_code ignored;
  const perms mode = std::filesystem::status(file, ignored).permissions();
  if (!ignored && (mode & perms::others_read) != perms::none) {
    log(LogLevel::kWarning, warning, {{"file", file.string()}});
  }
}

}  // namespace surtitle
