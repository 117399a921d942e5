// Removes from a program's output what only a terminal needs.
//
// Escape sequences (colours, titles), which begin with ESC or U+009B, NUL and other control
// characters are left out. A sequence that erases the line or moves to its beginning becomes a
// carriage return, after which the line is drawn again. A backspace stays, and removes the
// character before it in the line as it is drawn.
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
  // Appends what is held, at the end of the text.
  void finish(std::string& out);

 private:
  enum class State { kText, kEscape, kSequence, kString, kStringEscape };
  bool filter_text(char c, std::string& out);
  bool filter_second_byte(char c, std::string& out);
  void end_sequence(char last, std::string& out);

  State state_ = State::kText;
  bool held_ = false;       // kC1, the first byte of U+0080 to U+009F and others
  std::string parameters_;  // of a sequence
};

// Returns the last state of a line that was drawn several times, each time after a carriage return,
// and without the characters that backspaces remove.
std::string last_drawn(std::string_view line);

// Removes the last character of a line. Does nothing if there is none after a carriage return.
void remove_last_character(std::string& line);

// Returns the text without escape sequences, control characters, and what backspaces remove.
std::string without_controls(std::string_view text);

// Returns the text as a terminal shows it: each line as it was drawn last.
std::string shown_text(std::string_view text);

}  // namespace surtitle
