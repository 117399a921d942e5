#include "daemon/terminal/full_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

namespace surtitle {
namespace {

volatile std::sig_atomic_t ended = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t continued = 0;
volatile std::sig_atomic_t stopped = 0;

void note(int signal) {
  if (signal == SIGWINCH) {
    resized = 1;
  } else if (signal == SIGCONT) {
    continued = 1;
  } else if (signal == SIGTSTP) {
    stopped = 1;
  } else {
    ended = 1;
  }
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(STDOUT_FILENO, text.data(), text.size());
    if (wrote < 0 && errno != EINTR) {
      return;  // the terminal was closed; wait() reports it
    }
    text.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
  }
}

}  // namespace

FullScreen::FullScreen() {
  if (!is_there() || tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw std::runtime_error("standard input and output must be a terminal");
  }
  ended = 0;
  struct sigaction action {};
  action.sa_handler = note;  // without SA_RESTART, so that poll() returns
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT, SIGTSTP}) {
    sigaction(signal, &action, nullptr);
  }
  begin();
}

FullScreen::~FullScreen() { end(); }

bool FullScreen::is_there() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

void FullScreen::begin() {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // keeps ISIG, for Ctrl-C and Ctrl-Z
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all("\x1b[?1049h\x1b[?25l");  // alternate screen, no cursor
}

void FullScreen::end() {
  write_all("\x1b[?25h\x1b[?1049l");
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

FullScreen::Size FullScreen::size() const {
  winsize window{};
  Size size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    size = {window.ws_col, window.ws_row};
  }
  return size;
}

void FullScreen::show(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "" : "\n") + lines[i] + "\x1b[K";  // clears the rest of the line
  }
  write_all(text + "\x1b[J");
}

FullScreen::Event FullScreen::wait(std::chrono::milliseconds time) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ended != 0 ? 0 : poll(&input, 1, static_cast<int>(time.count()));
  if (ended != 0) {
    return Event::kEnd;
  }
  if (stopped != 0) {
    stopped = 0;
    end();
    raise(SIGSTOP);
  }
  if (continued != 0) {
    continued = 0;
    begin();
    return Event::kResize;
  }
  if (resized != 0) {
    resized = 0;
    return Event::kResize;
  }
  if (ready > 0) {
    return read(STDIN_FILENO, &key_, 1) == 1 ? Event::kKey : Event::kEnd;
  }
  return Event::kTime;
}

}  // namespace surtitle
