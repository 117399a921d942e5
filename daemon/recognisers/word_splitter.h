// Cuts text that comes in pieces of any size into words, each as soon as the white space after it
// is there.
//
// A piece may end inside a UTF-8 character. Bytes that are not UTF-8 become U+FFFD, so that one bad
// byte does not stop a live event. The same text gives the same words however it is cut.
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
  // A longer run without white space is cut after so many bytes, give or take a character.
  static constexpr std::size_t kMaxWord = 4096;

  // Appends the words that `bytes` complete; an empty one stands for a blank line after a word.
  void feed(std::string_view bytes, std::vector<std::string>& words);

  // The text is over: appends the last word if there is one. Ready for another text afterwards.
  void finish(std::vector<std::string>& words);

  // How often something was not UTF-8.
  int replaced() const noexcept { return replaced_; }

 private:
  void add_character(std::string_view character, std::vector<std::string>& words);
  void replace(std::vector<std::string>& words);
  void end_word(std::vector<std::string>& words);

  std::string cut_;  // the begin of a character
  std::string word_;
  bool line_begun_ = false;  // nothing but white space since the last newline
  bool word_seen_ = false;   // since the last blank line
  int replaced_ = 0;
};

}  // namespace surtitle
