#include "daemon/translation/sentence_state.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "daemon/translation/words_of_speech.h"
#include "model/text/unspaced.h"

namespace surtitle {

SentenceState::SentenceState(int number, std::shared_ptr<const Tokenizer> tokenizer,
                             SentenceGlossary glossary)
    : number_(number), detokenizer_(std::move(tokenizer)), terms_(std::move(glossary)) {}

void SentenceState::add_word(std::string_view word, int tokens, double clock, TimePoint arrival) {
  source_ += space_between(source_, word);
  source_ += word;
  words_.append_word(tokens);
  word_tokens_.push_back(tokens);
  clocks_.push_back(clock);
  arrivals_.insert(arrivals_.end(), static_cast<std::size_t>(tokens), arrival);
}

void SentenceState::end_source(TimePoint arrival) { ended_ = arrival; }

int SentenceState::tokens_of(int words) const {
  return std::accumulate(word_tokens_.begin(), word_tokens_.begin() + words, 0);
}

std::optional<double> SentenceState::clock_of(int words) const {
  if (clocks_.empty() || words < 1) {
    return std::nullopt;
  }
  return clocks_[std::min(static_cast<std::size_t>(words), clocks_.size()) - 1];
}

TimePoint SentenceState::arrival_of(int read) const {
  if (read > source_tokens() && ended_) {
    return *ended_;
  }
  if (arrivals_.empty()) {
    return ended_.value_or(TimePoint());
  }
  return arrivals_[static_cast<std::size_t>(std::clamp(read, 1, source_tokens()) - 1)];
}

std::string SentenceState::write(int token, int read) {
  read_ = std::max(read_, read);
  token_meter_.write(std::min(read_, source_tokens()));
  std::string text = terms_.write(detokenizer_.write(token));
  add_text(text, /*end=*/false);
  return text;
}

void SentenceState::begin_target(std::string_view text, const std::vector<int>& tokens, int read) {
  read_ = read;
  for (const int token : tokens) {
    token_meter_.write(std::min(read_, source_tokens()));
    detokenizer_.write(token);
  }
  terms_.begin(text);
  add_text(text, /*end=*/false);
}

std::string SentenceState::preview(const std::vector<int>& tokens,
                                   const SentenceTerms& ahead) const {
  Detokenizer detokenizer = detokenizer_;
  SentenceTerms terms = terms_;
  terms.add_expected(ahead);
  std::string text;
  for (const int token : tokens) {
    text += terms.write(detokenizer.write(token));
  }
  return text + terms.finish();
}

std::string SentenceState::end_target() {
  std::string text = terms_.write(detokenizer_.finish()) + terms_.finish();
  add_text(text, /*end=*/true);
  return text;
}

std::string SentenceState::copy(std::string_view text) {
  read_ = source_tokens() + 1;
  add_text(text, /*end=*/true);
  return target_;
}

void SentenceState::appeared(TimePoint now) {
  const TimePoint needed = arrival_of(read_);
  const TimePoint heard = arrival_of(std::min(read_, source_tokens()));
  if (word_grew_) {
    target_times_.pop_back();
  }
  target_times_.resize(target_words_.delays().size(),
                       {Seconds(needed - heard).count(), Seconds(now - needed).count()});
}

LatencyScores SentenceState::speech_scores(std::optional<double> previous_end,
                                           bool computation_aware) const {
  if (clocks_.empty()) {
    return {};
  }
  const double first = clocks_.front();
  const double begin = std::clamp(previous_end.value_or(0), first - kWordMs / 1000, first);
  std::vector<double> ends;  // of the words; a clock may be set back
  for (const double clock : clocks_) {
    ends.push_back(std::max(clock - begin, ends.empty() ? 0 : ends.back()));
  }
  LatencyMeter meter;
  double time = 0;
  for (std::size_t i = 0; i < target_times_.size(); ++i) {
    const auto words = static_cast<std::size_t>(std::max(target_words_.delays()[i], 1));
    const auto& [wait, computation] = target_times_[i];
    time = std::max(time, ends[words - 1] + wait + (computation_aware ? computation : 0));
    meter.write(time);
  }
  return meter.scores(ends.back());
}

void SentenceState::add_text(std::string_view text, bool end) {
  word_grew_ = target_words_.write(text, words_of(read_));
  target_ += text;
  // The last word may still grow.
  const std::vector<int>& delays = target_words_.delays();
  const std::size_t complete = end || delays.empty() ? delays.size() : delays.size() - 1;
  for (auto i = static_cast<std::size_t>(word_meter_.written()); i < complete; ++i) {
    word_meter_.write(delays[i]);
  }
}

}  // namespace surtitle
