#include "daemon/sentence_track.h"

#include <algorithm>
#include <utility>

namespace surtitle {

SentenceTrack::SentenceTrack(int number, std::shared_ptr<const Tokenizer> tokenizer)
    : number_(number), detokenizer_(std::move(tokenizer)) {}

void SentenceTrack::add_word(std::string_view word, int tokens, TimePoint arrival) {
  if (!source_.empty()) {
    source_ += ' ';
  }
  source_ += word;
  first_tokens_.push_back(source_tokens());
  arrivals_.insert(arrivals_.end(), static_cast<std::size_t>(tokens), arrival);
}

void SentenceTrack::end_source(TimePoint arrival) { ended_ = arrival; }

int SentenceTrack::words_of(int read) const {
  if (read > source_tokens()) {
    return source_words();
  }
  const auto unseen = std::lower_bound(first_tokens_.begin(), first_tokens_.end(), read);
  return static_cast<int>(unseen - first_tokens_.begin());
}

TimePoint SentenceTrack::arrival_of(int read) const {
  if (read > source_tokens() && ended_) {
    return *ended_;
  }
  if (arrivals_.empty()) {
    return ended_.value_or(TimePoint());
  }
  return arrivals_[static_cast<std::size_t>(std::clamp(read, 1, source_tokens()) - 1)];
}

std::string SentenceTrack::write(int token, int read) {
  read_ = std::max(read_, read);
  token_meter_.write(std::min(read_, source_tokens()));
  std::string text = detokenizer_.write(token);
  take_text(text);
  return text;
}

std::string SentenceTrack::end_target() {
  std::string text = detokenizer_.finish();
  take_text(text);
  if (in_word_) {
    word_meter_.write(word_delay_);
    in_word_ = false;
  }
  return text;
}

void SentenceTrack::take_text(std::string_view text) {
  for (const char c : text) {
    if (c != ' ') {
      in_word_ = true;
      word_delay_ = words_of(read_);
    } else if (in_word_) {
      in_word_ = false;
      word_meter_.write(word_delay_);
    }
  }
  target_ += text;
}

}  // namespace surtitle
