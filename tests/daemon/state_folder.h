// A folder for the journal of one daemon after the other.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace surtitle {

class StateFolder {
 public:
  StateFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "surtitle-state-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("mkdtemp failed");
    }
    path_ = name;
  }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  ~StateFolder() { std::filesystem::remove_all(path_); }
  std::string journal() const { return (path_ / "journal.sqlite").string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace surtitle
