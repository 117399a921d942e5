#include "model/text/word_delays.h"

#include <algorithm>

#include "model/text/words.h"

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

void TargetWords::write(std::string_view delta, int words_read) {
  if (delta.empty()) return;
  const std::vector<std::string_view> words = split_words(delta);
  for (const std::string_view word : words) {
    const bool continues = inside_word_ && word.data() == delta.data();
    if (continues) {
      delays_.back() = words_read;
    } else {
      delays_.push_back(words_read);
    }
  }
  inside_word_ =
      !words.empty() && words.back().data() + words.back().size() == delta.data() + delta.size();
}

void TargetWords::clear() noexcept {
  delays_.clear();
  inside_word_ = false;
}

}  // namespace surtitle
