// The files of the web folder, for HTTP.
//
// Only plain files below the folder are found, under their own names: no "..", no hidden names, no
// links that lead out. Files are read anew every time.
//
// Thread-safety: immutable after construction; share it freely.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

struct StaticFile {
  std::string_view content_type;
  std::string content;
};

class StaticFiles {
 public:
  // Throws std::runtime_error where `root` is not a folder.
  explicit StaticFiles(const std::filesystem::path& root);

  // The file that the path of a request names; a folder's is its index.html. `path` is percent-
  // encoded and begins with '/'.
  std::optional<StaticFile> find(std::string_view path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace surtitle
