// The files of a published model, by name: those of a folder or of a zip archive.
//
// Nothing about the files is trusted: their sizes are checked before memory is allocated for them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Thread-safety: none; one owner.
class ModelFiles {
 public:
  explicit ModelFiles(std::string label) : label_(std::move(label)) {}
  ModelFiles(const ModelFiles&) = delete;
  ModelFiles& operator=(const ModelFiles&) = delete;
  virtual ~ModelFiles() = default;

  // Returns the names, sorted. Folders inside of an archive are part of the name.
  virtual const std::vector<std::string>& names() const = 0;

  // Returns the content of a file. Throws std::runtime_error if there is no such file, if it has
  // more than `limit` bytes or if it is damaged.
  virtual std::string read(const std::string& name, std::uint64_t limit) const = 0;

  bool has(std::string_view name) const;
  // Returns "FOLDER/name" for messages.
  std::string describe(const std::string& name) const { return label_ + "/" + name; }
  const std::string& label() const { return label_; }

 private:
  std::string label_;
};

// Opens a folder. Throws std::runtime_error if it cannot be read.
std::unique_ptr<ModelFiles> open_folder(const std::filesystem::path& folder);

// Opens a zip archive, which is a file or in memory. Throws std::runtime_error naming `label`.
std::unique_ptr<ModelFiles> open_zip(const std::filesystem::path& file);
std::unique_ptr<ModelFiles> open_zip(std::string bytes, const std::string& label);

// Returns what `bytes` are without gzip's compression, or `bytes` if they are not compressed.
// Throws std::runtime_error naming `label` for more than `limit` bytes and for damage.
std::string without_gzip(std::string bytes, std::uint64_t limit, const std::string& label);

}  // namespace surtitle
