// Runs `surtitle` as a process whose standard input the test writes and whose output it reads.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/daemon/support/daemon_process.h"

namespace surtitle {

class CommandProcess {
 public:
  // surtitle with these arguments.
  enum class Input { kPipe, kClosed };
  explicit CommandProcess(const std::vector<std::string>& arguments, Input input = Input::kPipe);
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;
  // Kills it unless it has ended.
  ~CommandProcess();

  void write(std::string_view text) const;
  void close_input();
  // The next `count` bytes of its standard output, fewer where it ends before.
  std::string read(std::size_t count) const;
  // Nobody reads its standard output any more.
  void close_output();
  void signal(int number) const;

  // Closes its input and waits for its end; `out` is what was not read before.
  Ended wait();

  // To its end, with `input` on standard input.
  static Ended run(const std::vector<std::string>& arguments, std::string_view input = {});

 private:
  pid_t process_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
};

// "ws://127.0.0.1:PORT"
std::string url_of(const DaemonProcess& daemon);

}  // namespace surtitle
