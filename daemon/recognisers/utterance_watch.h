// Notices that a recogniser has abandoned an utterance without a final text.
//
// Two things interrupt an utterance: a hypothesis without words, and one that is reduced to half of
// the words before. The utterance continues if the next hypothesis has most of its first words.
// Without an interruption, a hypothesis is of another utterance if the one before had four words,
// its beginning was the same twice, and the two have neither a beginning nor an overlap in common.
// A single word that disappears is a correction.
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
  // Handles the final text. The utterance is forgotten. A final text may be spelt otherwise
  // throughout, so that it is of another utterance only after an interruption.
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
