// Removes from a program's output what only a terminal needs.
//
// Escape sequences (colours, titles), NUL and other control characters are left out. A sequence
// that erases the line or moves to its beginning becomes a carriage return, after which the line is
// drawn again.
//
// Thread-safety: none for an object; one owner. The functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace surtitle {

class TerminalFilter {
 public:
  // Appends `c` to `out` if it belongs to the text. Returns false if it is a control character that
  // no text has.
  bool filter(char c, std::string& out);

 private:
  enum class State { kText, kEscape, kSequence, kString, kStringEscape };
  bool filter_text(char c, std::string& out);
  void end_sequence(char last, std::string& out);

  State state_ = State::kText;
  std::string parameters_;  // of a sequence
};

// Returns the last state of a line that was drawn several times, each time after a carriage return.
std::string_view last_drawn(std::string_view line);

// Returns the text as a terminal shows it.
std::string shown_text(std::string_view text);

}  // namespace surtitle
