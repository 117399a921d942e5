// Local agreement (Liu et al. 2020, "Low-latency sequence-to-sequence speech recognition and
// translation by partial hypothesis selection"): what live systems on models for whole sentences
// do. The source that has come is translated again and again, and what successive drafts agree on
// is written for good.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class LocalAgreementPolicy final : public Policy {
 public:
  // drafts: how many in a row must begin alike. More costs delay and gains quality.
  // every: source tokens from one draft to the next. More costs delay and saves work.
  // Throws std::invalid_argument unless drafts is at least 2 and every at least 1.
  LocalAgreementPolicy(int drafts, int every);

  // A draft sees all that has come; see Drafting.
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
