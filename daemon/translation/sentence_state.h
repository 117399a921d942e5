// One sentence of a stream: its source, its translation and their delays.
//
// Delays are defined as in offline evaluation (model/text/word_delays.h). Token delays leave out
// the end-of-sentence token.
//
// Thread-safety: none; one owner.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/translation/sentence_terms.h"
#include "metrics/latency.h"
#include "model/text/tokenizer.h"
#include "model/text/word_delays.h"

namespace surtitle {

class SentenceState {
 public:
  // `tokenizer` is the target's.
  SentenceState(int number, std::shared_ptr<const Tokenizer> tokenizer,
                SentenceGlossary glossary = {});

  int number() const noexcept { return number_; }

  // --- source ---
  // `clock`: the word's time on the source's clock, in seconds.
  void add_word(std::string_view word, int tokens, double clock, TimePoint arrival);
  // REQUIRES: not ended.
  void end_source(TimePoint arrival);
  bool source_ended() const noexcept { return ended_.has_value(); }
  SentenceTerms& terms() noexcept { return terms_; }
  const SentenceTerms& terms() const noexcept { return terms_; }
  int source_words() const noexcept { return words_.words(); }
  int source_tokens() const noexcept { return words_.tokens(); }
  const std::string& source() const noexcept { return source_; }

  // Returns the number of source words in the first `read` tokens; all words if the end-of-sentence
  // token is among them.
  int words_of(int read) const { return words_.words_in(read); }

  // Returns the number of tokens of the first `words` words.
  int tokens_of(int words) const;

  // Returns the time of the last of the first `words` words on the source's clock, in seconds, or
  // nullopt if there is no such word.
  std::optional<double> clock_of(int words) const;

  // Returns the arrival of source token number `read` (from 1), or the end of the source for the
  // end-of-sentence token.
  TimePoint arrival_of(int read) const;

  // --- target ---
  // Adds a target token. Returns the text that it adds, which may be empty.
  std::string write(int token, int read);
  // Begins the translation with text that was written before, of which these are the tokens.
  // REQUIRES: nothing written.
  void begin_target(std::string_view text, const std::vector<int>& tokens, int read);
  // Returns the text that these tokens would add. `ahead`: the terms of the source that they rest
  // on.
  std::string preview(const std::vector<int>& tokens, const SentenceTerms& ahead) const;
  // Completes the translation. Returns the text that was held back, which is usually empty.
  std::string end_target();
  // Completes the translation with this text, and returns it. REQUIRES: nothing written.
  std::string copy(std::string_view text);

  // The last text that was added appears.
  void appeared(TimePoint now);

  int target_tokens() const noexcept { return token_meter_.written(); }
  int target_words() const noexcept { return word_meter_.written(); }  // complete words
  const std::string& target() const noexcept { return target_; }

  LatencyScores word_scores() const { return word_meter_.scores(source_words()); }
  LatencyScores token_scores() const { return token_meter_.scores(source_tokens()); }
  // Returns the scores by words' times, in seconds of the source's clock. `said`: when the words
  // before this sentence were said. The first word lasts no longer than kWordMs. Computation aware
  // scores contain the time from what a write needed to its appearance.
  LatencyScores speech_scores(std::optional<double> said, bool computation_aware) const;

 private:
  void add_text(std::string_view text, bool end);

  int number_;

  std::string source_;
  SourceWordCounter words_;
  std::vector<int> word_tokens_;     // of each word
  std::vector<double> clocks_;       // of each word
  std::vector<TimePoint> arrivals_;  // of each token
  std::optional<TimePoint> ended_;

  Detokenizer detokenizer_;
  SentenceTerms terms_;
  std::string target_;
  TargetWords target_words_;
  bool word_grew_ = false;  // the last text continues the word before it
  int read_ = 0;            // of the last step
  struct WriteTimes {
    double wait = 0;         // seconds from its last word to the end of the source, if it needed it
    double computation = 0;  // seconds from what it needed to its appearance
  };
  std::vector<WriteTimes> target_times_;  // of each target word
  LatencyMeter word_meter_;
  LatencyMeter token_meter_;
};

}  // namespace surtitle
