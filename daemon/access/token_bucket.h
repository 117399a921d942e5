// A token bucket: so much a second on average, and ten seconds' worth at once.
//
// Whatever is left, however little, lets one more through, whole: what is larger than the bucket
// waits for nothing that cannot come, and is paid off before the next.
//
// Thread-safety: none. Time is told, so tests need no clock.
#pragma once

#include <algorithm>
#include <cmath>

#include "daemon/base/clock.h"

namespace surtitle {

class TokenBucket {
 public:
  static constexpr double kBurst = 10;  // seconds

  // `rate`: a second; 0: no limit.
  TokenBucket(double rate, TimePoint now) : rate_(rate), level_(rate * kBurst), at_(now) {}

  // Consumes the amount. Returns false, and consumes nothing, if no token is left.
  bool consume(double amount, TimePoint now) {
    refill(now);
    if (rate_ <= 0) {
      return true;
    }
    if (level_ <= 0) {
      return false;
    }
    level_ -= amount;
    return true;
  }

  // Takes the amount, whatever is left.
  void charge(double amount, TimePoint now) {
    refill(now);
    level_ -= rate_ <= 0 ? 0 : amount;
  }

  // Whole seconds until consume() succeeds again, at least 1.
  int wait() const {
    return rate_ <= 0 ? 1 : std::max(1, static_cast<int>(std::ceil(-level_ / rate_)));
  }

  bool full(TimePoint now) {
    refill(now);
    return level_ >= rate_ * kBurst;
  }

  double rate() const noexcept { return rate_; }

 private:
  void refill(TimePoint now) {
    const Seconds passed = now - at_;
    if (passed.count() > 0) {
      level_ = std::min(rate_ * kBurst, level_ + rate_ * passed.count());
      at_ = now;
    }
  }

  double rate_;
  double level_;
  TimePoint at_;
};

}  // namespace surtitle
