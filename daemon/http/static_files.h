// The files of the web folder, for HTTP.
//
// Only regular files below the folder are found. Hidden files, "..", and links that lead out of the
// folder are not. Files are read again for each request.
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
  // Throws std::runtime_error if `root` is not a folder.
  explicit StaticFiles(const std::filesystem::path& root);

  // Returns the file at the path of a request, or nullopt if there is none. A path that ends with
  // '/' has the file index.html. `path` is percent-encoded and begins with '/'.
  std::optional<StaticFile> find(std::string_view path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace surtitle
