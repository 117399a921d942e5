// Runs one subcommand of `surtitle` as its main does, inside the test.
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace surtitle::command_line {

// What the command wrote on standard output. Throws what the command throws.
template <typename AddCommand>
std::string output_of(AddCommand add_command, std::vector<std::string> arguments) {
  CLI::App app;
  add_command(app);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  ::testing::internal::CaptureStdout();
  try {
    app.parse(reversed);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  return ::testing::internal::GetCapturedStdout();
}

// The message of what the command throws.
template <typename AddCommand>
std::string failure_of(AddCommand add_command, std::vector<std::string> arguments) {
  try {
    return "succeeded with " + output_of(add_command, std::move(arguments));
  } catch (const std::exception& error) {
    return error.what();
  }
}

// A folder that is empty at first and gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("surtitle_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace surtitle::command_line
