#include "daemon/terminal/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace surtitle {
namespace {

constexpr const char* kEmptyLine = "\r\033[K";

// A longer line would wrap, and its first part could not be replaced.
std::size_t columns() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsual;
}

}  // namespace

ProgressLine::~ProgressLine() {
  if (shown_) {
    std::fputs(kEmptyLine, stderr);
  }
}

bool ProgressLine::is_there() { return isatty(STDERR_FILENO) != 0; }

void ProgressLine::show(const std::string& text) {
  if (is_there()) {
    std::fprintf(stderr, "%s%s", kEmptyLine, text.substr(0, columns() - 1).c_str());
    shown_ = true;
  }
}

}  // namespace surtitle
