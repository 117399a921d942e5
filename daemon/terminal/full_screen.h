// Controls the whole terminal on standard input and output, for a program such as top.
//
// The destructor restores the previous contents of the screen. SIGINT, SIGTERM and SIGHUP are
// reported as events, so that they do not skip the destructor. Ctrl-Z restores the screen until the
// program continues. REQUIRES: at most one object at a time.
//
// Thread-safety: none; for the main thread only.
#pragma once

#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

namespace surtitle {

class FullScreen {
 public:
  // Throws std::runtime_error unless is_there().
  FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen();

  // Returns whether standard input and output are a terminal.
  static bool is_there();

  struct Size {
    int columns = 80;
    int lines = 24;
  };
  Size size() const;

  // Replaces the contents of the screen by these lines, in one write. Unchanged parts of the screen
  // do not flicker. REQUIRES: the lines fit size().
  void show(const std::vector<std::string>& lines);

  enum class Event {
    kTime,    // the time has passed
    kResize,  // the size has changed, or the program continues after Ctrl-Z
    kKey,     // see key()
    kEnd,     // a signal, or the terminal was closed
  };
  // Waits for an event, for at most `time`.
  Event wait(std::chrono::milliseconds time);
  // Returns the last key.
  char key() const noexcept { return key_; }

 private:
  void begin();
  void end();

  termios before_{};
  char key_ = 0;
};

}  // namespace surtitle
