// Estimates how late words are at present: the delays of the last two seconds.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstdint>

#include "daemon/base/clock.h"
#include "daemon/base/delay_histogram.h"
#include "daemon/base/sliding_window.h"

namespace surtitle {

class DelayEstimator {
 public:
  static constexpr std::chrono::seconds kWindow{2};
  static constexpr std::uint32_t kEnough = 20;  // fewer delays have no 95th percentile

  void add(Seconds delay, TimePoint now) { delays_.slice_at(now).add(delay); }

  // Returns the 95th percentile, or 0 if there are too few delays.
  Seconds p95(TimePoint now) {
    const DelayHistogram delays = delays_.sum(now);
    return delays.count() < kEnough ? Seconds(0) : *delays.quantile(0.95);
  }

 private:
  SlidingWindow<DelayHistogram> delays_{kWindow};
};

}  // namespace surtitle
