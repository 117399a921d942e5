// A running program whose standard output is read.
//
// It has a process group of its own, so that Ctrl-C in a terminal does not reach it.
//
// Thread-safety: none; one owner.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace surtitle {

class ChildProcess {
 public:
  // Starts a program of the search path with its arguments. Throws std::runtime_error, one
  // sentence, if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills the program unless it has ended.
  ~ChildProcess();

  // The reading end of its standard output; closed with this.
  int output() const noexcept { return output_; }

  // Blocks until the program has ended. Returns nullopt after success, else the last line of its
  // standard error, or how it ended.
  std::optional<std::string> failure();

 private:
  std::string last_error_line() const;

  pid_t process_ = -1;  // -1: has ended
  int output_ = -1;
  int errors_ = -1;  // a file in memory with its standard error
};

// Returns whether the search path has this program.
bool is_installed(const std::string& program);

}  // namespace surtitle
