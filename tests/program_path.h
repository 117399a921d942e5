// Where the programs are that tests start.
#pragma once

#include <cstdlib>
#include <string>

namespace surtitle {

// In the build's folder, or in the one that SURTITLE_PROGRAMS names, built under a sanitizer:
// sanitize.sh.
inline std::string program_path(const std::string& name) {
  const char* folder = std::getenv("SURTITLE_PROGRAMS");
  return std::string(folder == nullptr ? SURTITLE_BINARY_DIR : folder) + "/" + name;
}

}  // namespace surtitle
