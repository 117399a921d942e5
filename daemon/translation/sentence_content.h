// Whether a sentence has text to translate.
//
// Words without letters and digits are no text, and neither are marks in square brackets. A
// sentence of these alone is copied. While a bracket is open, it may still become a mark.
//
// Thread-safety: none; one owner.
#pragma once

#include <string_view>

#include "daemon/translation/word_signs.h"

namespace surtitle {

class SentenceContent {
 public:
  // REQUIRES: valid UTF-8.
  void add(std::string_view word) {
    while (!word.empty() && !has_text_) {
      in_mark_ = in_mark_ || word.starts_with('[');
      const std::size_t close = in_mark_ ? word.find(']') : std::string_view::npos;
      if (close == std::string_view::npos) {
        has_text_ = in_mark_ ? ++mark_words_ > kMaxMark : surtitle::has_text(word);
        return;
      }
      in_mark_ = false;
      mark_words_ = 0;
      word.remove_prefix(close + 1);
    }
  }

  // The sentence has ended. A bracket that was never closed is text.
  void end() { has_text_ = has_text_ || in_mark_; }

  bool has_text() const noexcept { return has_text_; }

 private:
  static constexpr int kMaxMark = 24;  // words

  bool has_text_ = false;
  bool in_mark_ = false;
  int mark_words_ = 0;  // of the open mark
};

}  // namespace surtitle
