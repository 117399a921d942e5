// Separates JSON from the plain words around it, in bytes that arrive in pieces of any size.
//
// JSON begins with {", or with [{ at the beginning of a word. White space may be between the two
// characters. If a letter, a digit or a quote precedes them, they are a part of a word. JSON ends
// with its last bracket, or before a character that JSON cannot have. JSON inside a JSON string,
// such as "{\"text\": \"eins\"}", is JSON, too. Marks such as "[Applaus]" and "{lacht}" are words.
//
// Thread-safety: none for an object; one owner. The functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns whether an object may follow the character in a line: it ends a prefix such as "data: ".
bool ends_prefix(char c);

// Returns where the first object of a line begins, or npos. It begins with {" or is {}.
std::size_t find_object(std::string_view line);

class JsonInText {
 public:
  static constexpr std::size_t kMaxLength = std::size_t{1} << 20U;  // bytes of JSON; more are words

  struct Piece {
    std::string bytes;
    bool is_json = false;
  };

  // Returns what these bytes complete, in order. Joined, the pieces are the bytes.
  std::vector<Piece> feed(std::string_view bytes);
  // Ends the input. JSON may be incomplete.
  std::vector<Piece> finish();

 private:
  void read(char c, std::vector<Piece>& pieces);
  void read_held(char c, std::vector<Piece>& pieces);
  void read_in_json(char c, std::vector<Piece>& pieces);
  void end(bool is_json, std::vector<Piece>& pieces);

  std::string held_;        // from a bracket or a quote on
  bool is_json_ = false;    // held_ is JSON; otherwise the next character decides
  bool in_string_ = false;  // of JSON
  bool escaped_ = false;    // the character after a backslash
  int depth_ = 0;
  bool begins_word_ = true;
  bool ends_prefix_ = true;  // an object may follow the last character
};

}  // namespace surtitle
