// Detects that a recogniser has abandoned an utterance without a final text.
//
// An utterance is interrupted by a hypothesis without words, or by one that is cut to half of the
// words before. It continues if the next hypothesis has most of its first words.
//
// Without an interruption, a hypothesis begins another utterance only if it shares neither a
// beginning nor an overlap with the last one. The last one must have four words, and its beginning
// must have been the same twice. A single word that disappears is a correction.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class UtteranceWatch {
 public:
  enum class Next {
    kContinues,   // the text is of the same utterance, or of the first one
    kInterrupts,  // the text decides nothing; the hypothesis before it stands
    kEnds,        // the utterance has ended, and the text has no words
    kBegins       // the utterance has ended, and the text is of another one
  };

  // Handles the next hypothesis. After kEnds and kBegins, the utterance before is forgotten.
  Next on_hypothesis(std::string_view text);
  // Handles the final text, and forgets the utterance. All words of a final text may be spelt in
  // another way. Therefore, it begins another utterance only after an interruption.
  Next on_final(std::string_view text);
  // The utterance was made final.
  void reset();

 private:
  using Words = std::vector<std::string>;

  bool is_interruption(const Words& next) const;
  bool begins_another(const Words& next) const;

  Words words_;               // of the last hypothesis that stands
  bool is_steady_ = false;    // two hypotheses in a row had the same beginning
  bool interrupted_ = false;  // since the last hypothesis that stands
};

}  // namespace surtitle
