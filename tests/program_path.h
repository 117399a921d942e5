// Paths of the programs that tests start.
#pragma once

#include <cstdlib>
#include <string>

namespace surtitle {

// Returns the path of a program in the build's folder, or in the folder SURTITLE_PROGRAMS if it is
// set. sanitize.sh sets it to programs under a sanitizer.
inline std::string program_path(const std::string& name) {
  const char* folder = std::getenv("SURTITLE_PROGRAMS");
  return std::string(folder == nullptr ? SURTITLE_BINARY_DIR : folder) + "/" + name;
}

}  // namespace surtitle
