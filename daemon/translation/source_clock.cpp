#include "daemon/translation/source_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace surtitle {
namespace {

constexpr double kLatest = 1e12;      // seconds; no clock has later times
constexpr double kMaxStepBack = 2;    // seconds; recognisers correct their times
constexpr double kMaxStepAhead = 10;  // seconds beyond those that have passed
constexpr double kSince1970 = 1e9;    // seconds; only a clock that counts from 1970 has such times
constexpr int kTimesThatConfirm = 3;  // after which a jump is no outlier

bool is_since_1970(double given) { return given >= kSince1970; }

}  // namespace

double SourceClock::time_of(std::optional<double> given, double arrival) {
  if (!given || !(std::abs(*given) <= kLatest)) {
    return time_of_arrival(arrival);
  }
  if (!now_) {
    const double time = is_since_1970(*given) ? arrival : *given;
    now_ = Timeline{*given, time, time - *given, 0, arrival};
  } else if (before_ && fits_before(*given, arrival)) {
    now_ = std::exchange(before_, std::nullopt);
  } else if (!continues(*now_, *given, arrival)) {
    jump(*given, arrival);
  } else if (before_ && ++since_jump_ == kTimesThatConfirm) {
    before_.reset();
  }
  now_->given = *given;
  now_->time = std::max(now_->time, *given + now_->offset);
  now_->lead = now_->time - arrival;
  now_->arrival = arrival;
  return now_->time;
}

// A jump may be an outlier until other times confirm it.
double SourceClock::time_of_arrival(double arrival) {
  if (!now_) {
    return arrival;
  }
  Timeline& timeline = before_ ? *before_ : *now_;
  timeline.time = std::max(timeline.time, arrival + timeline.lead);
  return timeline.time;
}

bool SourceClock::continues(const Timeline& timeline, double given, double arrival) {
  const double step = given - timeline.given;
  return step >= -kMaxStepBack && step <= arrival - timeline.arrival + kMaxStepAhead;
}

// Returns whether a time continues those before the jump rather than the jump.
bool SourceClock::fits_before(double given, double arrival) const {
  return continues(*before_, given, arrival) &&
         std::abs(given - before_->given) < std::abs(given - now_->given);
}

void SourceClock::jump(double given, double arrival) {
  before_ = now_;
  since_jump_ = 0;
  if (given < now_->given || (is_since_1970(given) && !is_since_1970(now_->given))) {
    now_->time = std::max(now_->time, arrival + now_->lead);
    now_->offset = now_->time - given;
  }
}

}  // namespace surtitle
