// Converts positions in tokens to positions in words.
//
// It counts the source words behind a number of tokens read. For each target word it gives the
// count of source words at its write. Sessions and offline evaluation share this code, so both
// report the same delays.
//
// Thread-safety: none; one owner.
#pragma once

#include <string_view>
#include <vector>

#include "model/text/unspaced.h"

namespace surtitle {

// The source side of one sentence. A word counts as read with its first token: its tokens arrive
// together, so a visible token implies that the word has been spoken.
class SourceWordCounter {
 public:
  // Appends a word of `tokens` tokens. A word without tokens is read together with the token that
  // follows it.
  void append_word(int tokens);

  // Returns the words read if `tokens_read` tokens are. The end-of-sentence token and any number
  // beyond it count as the whole source; the result is never more than words().
  int words_in(int tokens_read) const noexcept;

  int words() const noexcept { return static_cast<int>(begins_.size()); }
  int tokens() const noexcept { return tokens_; }
  void clear() noexcept;

 private:
  std::vector<int> begins_;  // of each word, in tokens
  int tokens_ = 0;
};

// The target side of one sentence. A word is written when its last character is.
class TargetWords {
 public:
  // Adds the text of one token (Detokenizer's delta), written when `words_read` source words had
  // been read. Returns whether the last word so far has grown.
  bool write(std::string_view delta, int words_read);

  // For each word of the text so far, the source words that had been read when it was written. The
  // last word may still grow.
  const std::vector<int>& delays() const noexcept { return delays_; }
  void clear() noexcept;

 private:
  std::vector<int> delays_;
  WordScanner scanner_;
};

}  // namespace surtitle
