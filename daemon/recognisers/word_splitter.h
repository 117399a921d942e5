// Splits text that arrives in pieces of any size into words.
//
// A word is complete when white space follows it. A piece may end inside a UTF-8 character. Invalid
// bytes become U+FFFD, so that one bad byte does not stop a live event. The division into pieces
// does not change the words.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class WordSplitter {
 public:
  // Maximum length of a word in bytes, up to one character more. Longer runs without white space
  // are cut.
  static constexpr std::size_t kMaxWord = 4096;

  // Appends the words that `bytes` complete. An empty word means a blank line after a word.
  void feed(std::string_view bytes, std::vector<std::string>& words);

  // Ends the text: appends the last word, if there is one. Another text may follow.
  void finish(std::vector<std::string>& words);

  // Returns the number of replacements by U+FFFD.
  int replaced() const noexcept { return replaced_; }

 private:
  void add_character(std::string_view character, std::vector<std::string>& words);
  void replace(std::vector<std::string>& words);
  void end_word(std::vector<std::string>& words);

  std::string cut_;  // the first bytes of an incomplete character
  std::string word_;
  bool line_begun_ = false;  // only white space since the last newline
  bool word_seen_ = false;   // since the last blank line
  int replaced_ = 0;
};

}  // namespace surtitle
