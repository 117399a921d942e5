// Policy that translates the source one meaning unit at a time.
//
// A unit ends at a token if the source up to there has a final translation. Each complete unit is
// translated after what has been written. A classifier of the model finds the ends
// (model/engine/meaning_units.h). Zhang, Zhang, He, Wu & Wang 2020, "Learning adaptive segmentation
// policy for simultaneous translation".
#pragma once

#include "policies/policy.h"

namespace surtitle {

class MeaningUnitsPolicy final : public Policy {
 public:
  // threshold: the probability from which a position ends a unit. A higher threshold costs delay
  // and gains quality. Throws std::invalid_argument unless it is above 0 and at most 1.
  explicit MeaningUnitsPolicy(float threshold);

  // A draft sees all units that have ended; see Drafting.
  int visible_source(int /*target_index*/, double /*aligned_position*/) const override {
    return kWholeSource;
  }
  std::string name() const override { return "mu"; }
  std::string spec() const override;
  std::optional<Drafting> drafting() const override {
    return Drafting{.agreeing = 1, .unit_end_threshold = threshold_};
  }

 private:
  float threshold_;
};

}  // namespace surtitle
