#include "daemon/shipped.h"

#include <algorithm>
#include <stdexcept>

namespace surtitle {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> places(const std::string& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> places;
  if (!error) {
    places.push_back(program.parent_path().parent_path() / "share/surtitle" / name);
  }
  places.push_back(fs::path(SURTITLE_SOURCE_DIR) / name);
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
    looked += (looked.empty() ? "" : " nor ") + place.string();
  }
  throw std::runtime_error("the folder " + name + " is not there: neither " + looked);
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
  throw std::runtime_error("model " + model +
                           " is neither a folder nor the name of a shipped model");
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
  return names;
}

}  // namespace surtitle
