#include "daemon/translation/step_cost_model.h"

#include <algorithm>

namespace surtitle {

void StepCostModel::add(Seconds duration, double tokens) {
  steps_ += 1;
  tokens_ += tokens;
  seconds_ += duration.count();
  square_ += tokens * tokens;
  product_ += tokens * duration.count();
}

StepCostModel& StepCostModel::operator+=(const StepCostModel& other) {
  steps_ += other.steps_;
  tokens_ += other.tokens_;
  seconds_ += other.seconds_;
  square_ += other.square_;
  product_ += other.product_;
  return *this;
}

double StepCostModel::token_cost() const noexcept {
  constexpr double kOneSize = 1e-6;
  constexpr double kMin = 0.05;  // of the mean; steps that waited for a processor bend the line
  const double spread = steps_ * square_ - tokens_ * tokens_;
  if (spread > kOneSize * steps_ * square_) {
    return std::max((steps_ * product_ - tokens_ * seconds_) / spread, kMin * seconds_ / tokens_);
  }
  return square_ > 0 ? product_ / square_ : 0;
}

double StepCostModel::predict(const StepCostModel& steps) const noexcept {
  if (steps_ == 0) {
    return 0;
  }
  const double own = std::max((seconds_ - token_cost() * tokens_) / steps_, 0.0);  // a
  return own * steps.steps_ + token_cost() * steps.tokens_;
}

}  // namespace surtitle
