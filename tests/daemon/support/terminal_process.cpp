#include "tests/daemon/support/terminal_process.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "tests/program_path.h"

namespace surtitle {

TerminalProcess::TerminalProcess(const std::vector<std::string>& arguments) {
  std::vector<std::string> texts{program_path("surtitle")};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  process_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ < 0) {
    throw std::runtime_error("forkpty failed");
  }
  if (process_ == 0) {
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
}

TerminalProcess::~TerminalProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(terminal_);
}

void TerminalProcess::type(std::string_view text) const {
  if (write(terminal_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the terminal accepts no input");
  }
}

// Reading a terminal fails once all processes have closed it.
std::string TerminalProcess::read_to(std::string_view text) {
  std::string shown;
  for (char c = 0; (text.empty() || !shown.ends_with(text)) && read(terminal_, &c, 1) == 1;) {
    shown += c;
  }
  return shown;
}

Ended TerminalProcess::wait() {
  Ended ended;
  ended.out = read_to("");
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

}  // namespace surtitle
