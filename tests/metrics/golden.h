// Paths and lines of files with golden numbers.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace surtitle::golden {

inline std::filesystem::path own_golden_folder() {
  return std::filesystem::path(SURTITLE_SOURCE_DIR) / "tests" / "golden";
}

// Returns the folder in SURTITLE_GOLDEN_DIR, or the repository's if it is unset or empty.
inline std::filesystem::path golden_folder() {
  const char* named = std::getenv("SURTITLE_GOLDEN_DIR");
  return named != nullptr && *named != '\0' ? std::filesystem::path(named) : own_golden_folder();
}

// Returns every PREFIX*.jsonl of a folder, sorted by name.
inline std::vector<std::filesystem::path> jsonl_files(const std::filesystem::path& folder,
                                                      const std::string& prefix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && entry.path().extension() == ".jsonl") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<boost::json::object> read_jsonl(const std::filesystem::path& file) {
  std::vector<boost::json::object> lines;
  std::ifstream in(file);
  if (!in) {
    throw std::runtime_error("cannot read " + file.string());
  }
  for (std::string line; std::getline(in, line);) {
    lines.push_back(boost::json::parse(line).as_object());
  }
  return lines;
}

}  // namespace surtitle::golden
