// Meaning units (Zhang, Zhang, He, Wu & Wang 2020, "Learning adaptive segmentation policy for
// simultaneous translation"): the source is cut where what was said so far can be translated for
// good, and each unit is translated when it is complete, after what was written. The model says
// where units end (model/engine/meaning_units.h).
#pragma once

#include "policies/policy.h"

namespace surtitle {

class MeaningUnitsPolicy final : public Policy {
 public:
  // threshold: the probability from which a position ends a unit. More costs delay and gains
  // quality. Throws std::invalid_argument unless it lies above 0 and is at most 1.
  explicit MeaningUnitsPolicy(float threshold);

  // A draft sees all units that have ended; see Drafting.
  int visible_source(int /*target_index*/, double /*aligned_position*/) const override {
    return kWholeSource;
  }
  std::string name() const override { return "mu"; }
  std::string spec() const override;
  std::optional<Drafting> drafting() const override {
    return Drafting{.agreeing = 1, .unit_end = threshold_};
  }

 private:
  float threshold_;
};

}  // namespace surtitle
