// Runs one subcommand of `surtitle` as its main does, inside the test.
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace surtitle::command_line {

// Returns the standard output of the command. Throws what the command throws.
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

// Returns the message of the exception that the command throws.
template <typename AddCommand>
std::string failure_of(AddCommand add_command, std::vector<std::string> arguments) {
  try {
    return "succeeded with " + output_of(add_command, std::move(arguments));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace surtitle::command_line
