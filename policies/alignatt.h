// Policy that writes until the attention reaches the newest source words: AlignAtt (Papi et al.
// 2023, "AlignAtt: Using Attention-based Audio-Translation Alignments as a Guide for Simultaneous
// Speech Translation").
//
// After each source word, a draft over all words so far continues what is written. A
// token is written unless the heads that align the languages give the most weight to one of the
// last f words.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class AlignAttPolicy final : public Policy {
 public:
  // f: number of the newest words on which no token may rest. More words cost delay and gain
  // quality. Throws std::invalid_argument unless it is at least 1.
  explicit AlignAttPolicy(int f);

  // A draft sees all source received so far; see Drafting.
  int visible_source(int /*target_index*/, double /*aligned_position*/) const override {
    return kWholeSource;
  }
  std::string name() const override { return "alignatt"; }
  std::string spec() const override;
  std::string training_family() const override { return "full-sentence"; }
  std::optional<Drafting> drafting() const override {
    return Drafting{.agreeing = 1, .unit_end_threshold = 1, .continues = true, .held_words = f_};
  }

 private:
  int f_;
};

}  // namespace surtitle
