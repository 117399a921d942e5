// A least-squares model of the cost of decoder steps. A step of n tokens, read or written, lasts
// a + b n seconds.
//
// Thread-safety: none; a plain value.
#pragma once

#include "daemon/base/clock.h"

namespace surtitle {

class StepCostModel {
 public:
  // Adds a step. `tokens`: read or written.
  void add(Seconds duration, double tokens);
  StepCostModel& operator+=(const StepCostModel& other);
  // The sums over all steps.
  double tokens() const noexcept { return tokens_; }
  double seconds() const noexcept { return seconds_; }
  // Returns b, in seconds per token, or 0 if nothing is known. If all steps had the same size, a is
  // not known and is included in b.
  double token_cost() const noexcept;
  // Returns the seconds that other steps would last at the cost of these, or 0 if nothing is known.
  double predict(const StepCostModel& steps) const noexcept;

 private:
  double steps_ = 0;
  double tokens_ = 0;
  double seconds_ = 0;
  double square_ = 0;   // sum of tokens * tokens
  double product_ = 0;  // sum of tokens * seconds
};

}  // namespace surtitle
