#include "daemon/http/static_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "daemon/base/url_parts.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFile = 16U << 20U;

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".yaml", "application/yaml"},
}};

std::string_view type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& row) { return row.first == extension; });
  return type == kTypes.end() ? "application/octet-stream" : type->second;
}

// Returns the path below the root, or nullopt if a part of it is not allowed.
std::optional<fs::path> relative_path(std::string_view path) {
  fs::path relative;
  while (!path.empty()) {
    path.remove_prefix(1);  // '/'
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    const bool last = path.empty();
    if (part.starts_with('.') || part.find('\\') != std::string_view::npos ||
        (part.empty() && !last)) {
      return std::nullopt;
    }
    relative /= part.empty() ? "index.html" : part;
  }
  return relative;
}

bool is_below(const fs::path& file, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

}  // namespace

StaticFiles::StaticFiles(const fs::path& root) {
  std::error_code error;
  root_ = fs::canonical(root, error);
  if (error || !fs::is_directory(root_)) {
    throw std::runtime_error("web folder " + root.string() + " is not a folder");
  }
}

std::optional<StaticFile> StaticFiles::find(std::string_view path) const {
  const std::optional<std::string> decoded = percent_decode(path);
  if (!decoded || !decoded->starts_with('/') || decoded->find('\0') != std::string::npos) {
    return std::nullopt;
  }
  const std::optional<fs::path> relative = relative_path(*decoded);
  if (!relative) {
    return std::nullopt;
  }
  std::error_code error;
  const fs::path file = fs::canonical(root_ / *relative, error);
  if (error || !is_below(file, root_) || !fs::is_regular_file(file, error) ||
      fs::file_size(file, error) > kMaxFile) {
    return std::nullopt;
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) {
    return std::nullopt;
  }
  return StaticFile{type_of(file), std::move(content).str()};
}

}  // namespace surtitle
