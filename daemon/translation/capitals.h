// Words of a text that is written in capitals.
//
// Captions for the deaf and some recognisers have capitals only. Models read such words as names.
// Three words in a row count as capitals if one of them is too long for an abbreviation.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class Capitals {
 public:
  // Returns for each of the next words whether it is of such a text. REQUIRES: valid UTF-8.
  std::vector<bool> mark(const std::vector<std::string_view>& words);
  // A text follows that has these words among others.
  void expect(const std::vector<std::string_view>& words);

 private:
  int in_a_row_ = 0;  // words in capitals
  bool has_long_ = false;
};

// Returns the word in lower case. REQUIRES: valid UTF-8.
std::string lower_word(std::string_view word);

}  // namespace surtitle
