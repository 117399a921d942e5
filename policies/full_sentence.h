// Policy that writes only after the whole sentence has been read.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class FullSentencePolicy final : public Policy {
 public:
  int visible_source(int /*target_index*/, double /*aligned_position*/) const override {
    return kWholeSource;
  }
  std::string name() const override { return "full-sentence"; }
  std::string spec() const override { return "full-sentence"; }
};

}  // namespace surtitle
