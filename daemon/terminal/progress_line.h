// One line on standard error that shows how far a command is.
//
// Each text replaces the one before. The destructor removes the line, so that results and errors
// follow on an empty one.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>

namespace surtitle {

class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // Returns whether standard error is a terminal.
  static bool is_there();

  // Shows the text, cut to the width of the terminal. Without a terminal, does nothing.
  void show(const std::string& text);

 private:
  bool shown_ = false;
};

}  // namespace surtitle
