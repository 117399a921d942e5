// Token bucket: limits an average rate and allows bursts of kBurst seconds' worth.
//
// An amount is admitted while the level is above 0, and may make it negative. So an amount larger
// than the bucket is admitted, too, and the next one waits until the debt is paid.
//
// Thread-safety: none; one owner, which passes the time in.
#pragma once

#include <algorithm>
#include <cmath>

#include "daemon/base/clock.h"

namespace surtitle {

class TokenBucket {
 public:
  static constexpr double kBurst = 10;  // seconds

  // `rate`: per second; 0: no limit.
  TokenBucket(double rate, TimePoint now) : rate_(rate), level_(rate * kBurst), at_(now) {}

  // Consumes the amount. Returns false, and consumes nothing, if the level is not above 0.
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

  // Consumes the amount, whatever the level.
  void charge(double amount, TimePoint now) {
    refill(now);
    level_ -= rate_ <= 0 ? 0 : amount;
  }

  // Returns whole seconds until consume() succeeds again, at least 1.
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
