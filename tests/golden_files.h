// Finds the files of golden numbers when a test runs.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns every PREFIX*EXTENSION of a folder, sorted by name.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                   std::string_view prefix,
                                                   std::string_view extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(extension)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the golden files of a kind, never none. They are those of the folder
// SURTITLE_GOLDEN_DIR, or of the repository if the variable is unset or its folder has none of the
// kind. Throws std::runtime_error if there are none.
inline std::vector<std::filesystem::path> golden_files(std::string_view prefix,
                                                       std::string_view extension) {
  std::vector<std::filesystem::path> files;
  const char* named = std::getenv("SURTITLE_GOLDEN_DIR");
  if (named != nullptr && *named != '\0') files = files_in(named, prefix, extension);
  if (files.empty())
    files = files_in(std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests" / "golden", prefix,
                     extension);
  if (files.empty()) throw std::runtime_error("no golden file " + std::string(prefix) + "*");
  return files;
}

}  // namespace surtitle
