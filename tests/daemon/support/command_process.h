// A running `surtitle` command: the test writes its standard input and reads its output.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/daemon/support/daemon_process.h"

namespace surtitle {

class CommandProcess {
 public:
  // Starts `surtitle` with these arguments. kClosed: without a standard input.
  enum class Input { kPipe, kClosed };
  explicit CommandProcess(const std::vector<std::string>& arguments, Input input = Input::kPipe);
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;
  // Kills the process unless it has ended.
  ~CommandProcess();

  void write(std::string_view text) const;
  void close_input();
  // Returns the next `count` bytes of standard output, or fewer if it ends before.
  std::string read(std::size_t count) const;
  // Closes the reading end of standard output.
  void close_output();
  void signal(int number) const;

  // Closes standard input and waits for the end. `out` is the output that was not read before.
  Ended wait();

  // Runs the command to its end, with `input` on standard input.
  static Ended run(const std::vector<std::string>& arguments, std::string_view input = {});

 private:
  pid_t process_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
};

// Returns "ws://127.0.0.1:PORT".
std::string url_of(const DaemonProcess& daemon);

}  // namespace surtitle
