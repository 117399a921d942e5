// Files that are not for everybody.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "daemon/log.h"

namespace surtitle {

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
