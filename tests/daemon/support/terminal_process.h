// A `surtitle` command whose standard streams are a terminal.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/daemon/support/daemon_process.h"

namespace surtitle {

class TerminalProcess {
 public:
  explicit TerminalProcess(const std::vector<std::string>& arguments);
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;
  // Kills the process unless it has ended.
  ~TerminalProcess();

  // Types the text; "\x04" is Ctrl-D. The terminal shows it, too.
  void type(std::string_view text) const;
  // Returns what the terminal shows, from here to the text and with it, or to the end of the
  // process.
  std::string read_to(std::string_view text);
  // Returns the exit code, and in `out` all that the terminal shows until the end.
  Ended wait();

 private:
  pid_t process_ = -1;
  int terminal_ = -1;
};

}  // namespace surtitle
