// From tokens to words: how many source words stand behind a number of tokens read, and how many
// had been read when each target word was written. Sessions and offline evaluation share it, so
// both report the same delays.
//
// Thread-safety: none; one owner.
#pragma once

#include <string_view>
#include <vector>

namespace surtitle {

// The source side of one sentence. A word counts as read with its first token: its tokens come
// together, and seeing one of them means that the word has been spoken.
class SourceWordCounter {
 public:
  // One more word of so many tokens; a word of no tokens is read together with the token that
  // follows it.
  void append_word(int tokens);

  // Words read where `tokens_read` tokens are. The end-of-sentence token and all beyond count as
  // the whole source; never more than words().
  int words_in(int tokens_read) const noexcept;

  int words() const noexcept { return static_cast<int>(begins_.size()); }
  int tokens() const noexcept { return tokens_; }
  void clear() noexcept;

 private:
  std::vector<int> begins_;  // of each word, in tokens
  int tokens_ = 0;
};

// The target side of one sentence: a word is written when its last character is.
class TargetWords {
 public:
  // The text that one token added (Detokenizer's delta) when `words_read` source words had been
  // read.
  void write(std::string_view delta, int words_read);

  // For each word of the text so far, the source words that had been read when it was written. The
  // last one may still grow.
  const std::vector<int>& delays() const noexcept { return delays_; }
  void clear() noexcept;

 private:
  std::vector<int> delays_;
  bool inside_word_ = false;  // the text so far ends inside a word
};

}  // namespace surtitle
