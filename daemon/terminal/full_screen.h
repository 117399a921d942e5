// The whole terminal, for a program that shows something until a key is pressed; on standard input
// and output.
//
// What was on the screen comes back when this goes, also where the program is ended by SIGINT,
// SIGTERM or SIGHUP, or stopped by Ctrl-Z and taken up again. One at a time.
//
// Thread-safety: none; the main thread's own.
#pragma once

#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

namespace surtitle {

class FullScreen {
 public:
  // Throws std::runtime_error where there is no terminal; see is_there().
  FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen();

  static bool is_there();

  struct Size {
    int columns = 80;
    int lines = 24;
  };
  Size size() const;

  // Shows these lines in one write, and nothing else; a part of the screen that stays the same does
  // not flicker. REQUIRES: no more and no longer than the size.
  void show(const std::vector<std::string>& lines);

  enum class Event {
    kTime,    // nothing happened for so long
    kResize,  // the size is another one
    kKey,     // see key()
    kEnd,     // a signal, or the terminal is gone
  };
  Event wait(std::chrono::milliseconds time);
  char key() const noexcept { return key_; }

 private:
  void begin();
  void end();

  termios before_{};
  char key_ = 0;
};

}  // namespace surtitle
