#include "daemon/base/install_paths.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "policies/closest_name.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBestShippedModel = "de-en-multipath";

// An installed program does not search the source tree that it was built from: anyone who can
// create that folder could make the daemon serve its files.
std::vector<fs::path> places(const std::string& name) {
  std::error_code error;
  const fs::path programs = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> places{(programs / SURTITLE_SHARE / name).lexically_normal()};
  if (programs == fs::path(SURTITLE_BINARY_DIR)) {
    places.push_back(fs::path(SURTITLE_SOURCE_DIR) / name);
  }
  return places;
}

}  // namespace

fs::path shipped_folder(const std::string& name) {
  std::string looked;
  for (const fs::path& place : places(name)) {
    std::error_code error;
    if (fs::is_directory(place, error)) {
      return place;
    }
    looked += (looked.empty() ? "" : " or ") + place.string();
  }
  throw std::runtime_error("cannot find the folder " + name + "; it must be at " + looked);
}

fs::path model_folder(const std::string& model) {
  std::error_code error;
  if (fs::is_directory(model, error)) {
    return model;
  }
  if (model.find('/') == std::string::npos) {
    fs::path shipped = shipped_folder("model/pretrained") / model;
    if (fs::is_directory(shipped, error)) {
      return shipped;
    }
  }
  const auto closest = closest_name(model, shipped_models());
  throw std::runtime_error("model " + model +
                           " is neither a folder nor the name of a shipped model" +
                           (closest ? "; did you mean " + *closest + "?" : ""));
}

std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(shipped_folder("model/pretrained"))) {
    if (fs::exists(entry.path() / "model.yaml")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == kBestShippedModel; });
  return names;
}

}  // namespace surtitle
