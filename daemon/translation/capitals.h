// Detects words of a text that is written in capitals throughout.
//
// Captions for the deaf and some recognisers have capitals only, and models read such words as
// names. The text is in capitals after three such words in a row, of which one has five letters or
// more and is therefore no abbreviation.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class Capitals {
 public:
  // Reads the next words. Returns for each of them whether it is of such a text. The first words of
  // a run are marked only if the run is long enough within this call. REQUIRES: valid UTF-8.
  std::vector<bool> mark(const std::vector<std::string_view>& words);
  // Looks ahead: if these words show that the text is in capitals, mark() also marks the first
  // ones.
  void expect(const std::vector<std::string_view>& words);

 private:
  int in_a_row_ = 0;  // words in capitals
  bool has_long_ = false;
};

// Returns the word in lower case. REQUIRES: valid UTF-8.
std::string lower_word(std::string_view word);

}  // namespace surtitle
