#include "daemon/recognisers/word_splitter.h"

#include <utility>

#include "model/util/utf8.h"

namespace surtitle {

void WordSplitter::feed(std::string_view bytes, std::vector<std::string>& words) {
  std::string joined;
  if (!cut_.empty()) {
    joined = std::exchange(cut_, {}) + std::string(bytes);
    bytes = joined;
  }
  while (!bytes.empty()) {
    const int length = first_character_length(bytes);
    if (length == 0) {
      cut_ = bytes;
      return;
    }
    if (length < 0) {
      replace(words);
      bytes.remove_prefix(1);
    } else {
      add_character(bytes.substr(0, static_cast<std::size_t>(length)), words);
      bytes.remove_prefix(static_cast<std::size_t>(length));
    }
  }
}

void WordSplitter::finish(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < cut_.size(); ++i) {
    replace(words);
  }
  cut_.clear();
  end_word(words);
  line_begun_ = false;
  word_seen_ = false;
}

void WordSplitter::add_character(std::string_view character, std::vector<std::string>& words) {
  if (!is_white_space(code_point(character))) {
    word_ += character;
    line_begun_ = false;
    word_seen_ = true;
    if (word_.size() >= kMaxWord) {
      end_word(words);
    }
    return;
  }
  end_word(words);
  if (character == "\n") {
    if (line_begun_ && word_seen_) {
      words.emplace_back();
      word_seen_ = false;
    }
    line_begun_ = true;
  }
}

void WordSplitter::replace(std::vector<std::string>& words) {
  ++replaced_;
  add_character("\uFFFD", words);
}

void WordSplitter::end_word(std::vector<std::string>& words) {
  if (!word_.empty()) {
    words.push_back(std::exchange(word_, {}));
  }
}

}  // namespace surtitle
