#include "daemon/translation/step_cost_model.h"

#include <algorithm>

namespace surtitle {

void StepCostModel::add(Seconds duration, double work) {
  steps_ += 1;
  work_ += work;
  seconds_ += duration.count();
  square_ += work * work;
  product_ += work * duration.count();
}

StepCostModel& StepCostModel::operator+=(const StepCostModel& other) {
  steps_ += other.steps_;
  work_ += other.work_;
  seconds_ += other.seconds_;
  square_ += other.square_;
  product_ += other.product_;
  return *this;
}

double StepCostModel::token_cost() const noexcept {
  constexpr double kOneSize = 1e-6;
  constexpr double kMin = 0.05;  // of the mean; steps that waited for a processor bend the line
  const double spread = steps_ * square_ - work_ * work_;
  if (spread > kOneSize * steps_ * square_) {
    return std::max((steps_ * product_ - work_ * seconds_) / spread, kMin * seconds_ / work_);
  }
  return square_ > 0 ? product_ / square_ : 0;
}

double StepCostModel::predict(const StepCostModel& steps) const noexcept {
  if (steps_ == 0) {
    return 0;
  }
  const double own = std::max((seconds_ - token_cost() * work_) / steps_, 0.0);  // a
  return own * steps.steps_ + token_cost() * steps.work_;
}

}  // namespace surtitle
