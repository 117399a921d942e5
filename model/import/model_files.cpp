#include "model/import/model_files.h"

#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <stdexcept>

#include "model/package/safetensors_header.h"

namespace surtitle {
namespace {

using std::filesystem::path;

[[noreturn]] void fail(const std::string& label, const std::string& what) {
  throw std::runtime_error(printable(label) + ": " + what);
}

void check_size(std::uint64_t size, std::uint64_t limit, const std::string& label) {
  if (size > limit)
    fail(label, "has " + std::to_string(size) + " bytes; allowed: " + std::to_string(limit));
}

class Folder final : public ModelFiles {
 public:
  explicit Folder(const path& folder) : ModelFiles(folder.string()), folder_(folder) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (std::error_code ignored; entry->is_regular_file(ignored))
        names_.push_back(entry->path().filename().string());
    }
    if (error) fail(label(), "cannot be read: " + error.message());
    std::sort(names_.begin(), names_.end());
  }

  const std::vector<std::string>& names() const override { return names_; }

  std::string read(const std::string& name, std::uint64_t limit) const override {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(folder_ / name, error);
    if (error) fail(describe(name), "cannot be read: " + error.message());
    check_size(size, limit, describe(name));
    std::string bytes(size, '\0');
    std::ifstream stream(folder_ / name, std::ios::binary);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
      fail(describe(name), "cannot be read");
    return bytes;
  }

 private:
  path folder_;
  std::vector<std::string> names_;
};

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

class ZipArchive final : public ModelFiles {
 public:
  explicit ZipArchive(const path& file) : ModelFiles(file.string()) {
    int code = 0;
    archive_.reset(::zip_open(file.c_str(), ZIP_RDONLY, &code));
    if (!archive_) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      fail_to_open(error);
    }
    list();
  }
  ZipArchive(std::string bytes, const std::string& name)
      : ModelFiles(name), bytes_(std::move(bytes)) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
    if (source != nullptr) archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!archive_) {
      zip_source_free(source);
      fail_to_open(error);
    }
    list();
  }

  const std::vector<std::string>& names() const override { return names_; }

  std::string read(const std::string& name, std::uint64_t limit) const override {
    const auto found = entries_.find(name);
    if (found == entries_.end()) fail(label(), "has no file " + printable(name));
    const Entry& entry = found->second;
    check_size(entry.size, limit, describe(name));
    // Deflate makes a byte of at most 1,032. A larger size is a lie, for which nothing is
    // allocated.
    constexpr std::uint64_t kMaxRatio = 1032;
    if (entry.size / kMaxRatio > entry.compressed) fail(describe(name), "is damaged");
    const std::unique_ptr<zip_file_t, CloseZip> file(
        zip_fopen_index(archive_.get(), entry.index, 0));
    if (!file) fail(describe(name), zip_strerror(archive_.get()));
    std::string bytes(entry.size, '\0');
    // libzip checks the checksum of a file when it has read the last byte.
    const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
    char more = 0;
    if (count != static_cast<zip_int64_t>(bytes.size()) || zip_fread(file.get(), &more, 1) != 0)
      fail(describe(name), "is damaged");
    return bytes;
  }

 private:
  struct Entry {
    zip_uint64_t index;
    std::uint64_t size;
    std::uint64_t compressed;
  };

  void list() {
    const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
    for (zip_uint64_t index = 0; index < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0));
         ++index) {
      zip_stat_t stat;
      constexpr auto kKnown = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
      if (zip_stat_index(archive_.get(), index, 0, &stat) != 0 || (stat.valid & kKnown) != kKnown)
        fail(label(), "has a damaged entry");
      const std::string name = stat.name;
      if (name.empty() || name.ends_with('/')) continue;
      if (!entries_.emplace(name, Entry{index, stat.size, stat.comp_size}).second)
        fail(label(), "has two files " + printable(name));
      names_.push_back(name);
    }
    std::sort(names_.begin(), names_.end());
  }
  [[noreturn]] void fail_to_open(zip_error_t& error) const {
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(label(), "not a zip archive: " + reason);
  }

  std::string bytes_;  // outlives archive_
  std::unique_ptr<zip_t, CloseZip> archive_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> names_;
};

}  // namespace

bool ModelFiles::has(std::string_view name) const {
  return std::binary_search(names().begin(), names().end(), name);
}

std::unique_ptr<ModelFiles> open_folder(const path& folder) {
  return std::make_unique<Folder>(folder);
}

std::unique_ptr<ModelFiles> open_zip(const path& file) {
  return std::make_unique<ZipArchive>(file);
}

std::unique_ptr<ModelFiles> open_zip(std::string bytes, const std::string& label) {
  return std::make_unique<ZipArchive>(std::move(bytes), label);
}

std::string without_gzip(std::string bytes, std::uint64_t limit, const std::string& label) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  constexpr std::size_t kMaxStep = 1 << 30;  // zlib counts in 32 bits
  std::string out;
  std::vector<char> block(1 << 16);
  std::size_t at = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.avail_in == 0 && at < bytes.size()) {
      const std::size_t step = std::min(bytes.size() - at, kMaxStep);
      stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + at);
      stream.avail_in = static_cast<uInt>(step);
      at += step;
    }
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) fail(label, "is damaged or cut off");
    out.append(block.data(), block.size() - stream.avail_out);
    check_size(out.size(), limit, label);
  }
  return out;
}

}  // namespace surtitle
