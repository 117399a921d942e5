// Repairs what programs often get wrong when they write JSON.
//
// Control characters in a text are escaped, and so is a backslash that begins no escape. Half a
// surrogate pair becomes U+FFFD. The words nan, inf, NaN and Infinity become null. NUL outside of
// texts becomes a space, and so does a backspace. Invalid UTF-8 stays as it is.
//
// Thread-safety: none for an object; one owner. The functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

class JsonRepair {
 public:
  // Appends the next character to `out`, repaired. Some characters are held until the next one.
  void add(char c, std::string& out);
  // Appends what is held, at the end of the JSON.
  void finish(std::string& out);

  bool in_text() const noexcept { return in_text_; }

 private:
  void add_to_text(char c, std::string& out);
  void add_to_escape(char c, std::string& out);
  void end_unit(std::string& out);
  void end_scalar(std::string& out);
  void release_high(std::string& out);

  bool in_text_ = false;
  std::string escape_;  // incomplete: "\", "\ud8"
  std::string high_;    // complete escape of a first half of a surrogate pair
  std::string scalar_;  // incomplete number or word
};

// Returns repaired JSON.
std::string repair_json(std::string_view text);
// Returns lines of JSON, each of them repaired by itself.
std::string repair_json_lines(std::string_view lines);

}  // namespace surtitle
