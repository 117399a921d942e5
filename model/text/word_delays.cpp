#include "model/text/word_delays.h"

#include <algorithm>

#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {

void SourceWordCounter::append_word(int tokens) {
  begins_.push_back(tokens_);
  tokens_ += tokens;
}

int SourceWordCounter::words_in(int tokens_read) const noexcept {
  if (tokens_read > tokens_) return words();
  const auto first_unread = std::lower_bound(begins_.begin(), begins_.end(), tokens_read);
  return static_cast<int>(first_unread - begins_.begin());
}

void SourceWordCounter::clear() noexcept {
  begins_.clear();
  tokens_ = 0;
}

bool TargetWords::write(std::string_view delta, int words_read) {
  bool grows = false;
  for (bool first = true; !delta.empty(); first = false) {
    const int length = std::max(first_character_length(delta), 1);
    const char32_t character = code_point(delta.substr(0, static_cast<std::size_t>(length)));
    delta.remove_prefix(static_cast<std::size_t>(length));
    if (scanner_.next(character)) {
      delays_.push_back(words_read);
    } else if (!is_white_space(character)) {
      delays_.back() = words_read;
      grows = grows || first;
    }
  }
  return grows;
}

void TargetWords::clear() noexcept {
  delays_.clear();
  scanner_ = {};
}

}  // namespace surtitle
