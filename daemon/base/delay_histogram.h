// Histogram of delays with 64 buckets from 0.1 ms to 9.7 s.
//
// Each bound is 1.2 times the one before, so a quantile in that range is at most a fifth too high.
// Shorter delays are counted in the first bucket, longer ones in the last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/base/clock.h"

namespace surtitle {

// Thread-safety: none; a plain value.
class DelayHistogram {
 public:
  void add(Seconds delay) {
    ++counts_[bucket(delay.count())];
    ++count_;
  }
  DelayHistogram& operator+=(const DelayHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      counts_[i] += other.counts_[i];
    }
    count_ += other.count_;
    return *this;
  }
  std::uint32_t count() const noexcept { return count_; }

  // Returns the delay that `share` (0 to 1) of the delays do not exceed, or nullopt if there are
  // none.
  std::optional<Seconds> quantile(double share) const {
    if (count_ == 0) {
      return std::nullopt;
    }
    const double wanted = share * count_;
    double seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted && counts_[i] > 0) {
        return Seconds(kMin * std::pow(kStep, static_cast<double>(i)));
      }
    }
    return Seconds(kMin * std::pow(kStep, static_cast<double>(kBuckets - 1)));
  }

 private:
  static constexpr std::size_t kBuckets = 64;
  static constexpr double kMin = 0.0001;  // seconds
  static constexpr double kStep = 1.2;

  static std::size_t bucket(double seconds) {
    if (!(seconds > kMin)) {
      return 0;
    }
    const double place = std::ceil(std::log(seconds / kMin) / std::log(kStep));
    return place < static_cast<double>(kBuckets) ? static_cast<std::size_t>(place) : kBuckets - 1;
  }

  std::array<std::uint32_t, kBuckets> counts_{};
  std::uint32_t count_ = 0;
};

}  // namespace surtitle
