// A folder of token files, keys and certificates for one test, gone with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "daemon/access/channel_link.h"
#include "daemon/access/token_file.h"

namespace surtitle {

class TestFolder {
 public:
  TestFolder()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("surtitle_access_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& folder() const noexcept { return folder_; }
  std::string path(const std::string& name) const { return folder_ / name; }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace surtitle
