// Policy that writes what successive drafts agree on (local agreement).
//
// The source received so far is translated after every few tokens. The beginning that successive
// drafts share is written and final. Live systems on models for whole sentences work this way (Liu
// et al. 2020, "Low-latency sequence-to-sequence speech recognition and translation by partial
// hypothesis selection").
#pragma once

#include "policies/policy.h"

namespace surtitle {

class LocalAgreementPolicy final : public Policy {
 public:
  // drafts: how many drafts in a row must begin alike. More drafts cost delay and gain quality.
  // every: source tokens between two drafts. A larger value costs delay and saves computation.
  //
  // Throws std::invalid_argument unless drafts is at least 2 and every at least 1.
  LocalAgreementPolicy(int drafts, int every);

  // A draft sees all source received so far; see Drafting.
  int visible_source(int /*target_index*/, double /*aligned_position*/) const override {
    return kWholeSource;
  }
  std::string name() const override { return "local-agreement"; }
  std::string spec() const override;
  std::string training_family() const override { return "full-sentence"; }
  std::optional<Drafting> drafting() const override { return drafting_; }

 private:
  Drafting drafting_;
};

}  // namespace surtitle
