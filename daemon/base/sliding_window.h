// A sum over the most recent time, in slices; the oldest slice is dropped.
//
// Thread-safety: none; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "daemon/base/clock.h"

namespace surtitle {

// REQUIRES: Slice() is zero, and `slice += other` adds.
template <class Slice>
class SlidingWindow {
 public:
  static constexpr std::size_t kSlices = 8;

  explicit SlidingWindow(Clock::duration width) : slice_(width / kSlices) {}

  // Returns the slice of the time `now`, to add to. If the clock went back, returns the latest
  // slice.
  Slice& slice_at(TimePoint now) {
    const std::int64_t number = now.time_since_epoch() / slice_;
    if (number > latest_) {
      const std::int64_t gone = std::min<std::int64_t>(number - latest_, kSlices);
      for (std::int64_t i = 0; i < gone; ++i) {
        slices_[static_cast<std::size_t>(number - i) % kSlices] = Slice();
      }
      latest_ = number;
    }
    return slices_[static_cast<std::size_t>(latest_) % kSlices];
  }

  // Returns the sum over the last `width`, less at most one slice. Drops the slices before it.
  Slice sum(TimePoint time) {
    slice_at(time);
    Slice all;
    for (const Slice& slice : slices_) {
      all += slice;
    }
    return all;
  }

 private:
  const Clock::duration slice_;
  std::int64_t latest_ = 0;
  std::array<Slice, kSlices> slices_{};
};

}  // namespace surtitle
