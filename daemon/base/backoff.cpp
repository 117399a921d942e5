#include "daemon/base/backoff.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kFirst{250};
constexpr std::chrono::milliseconds kMaxDelay{4000};

}  // namespace

Clock::duration backoff_delay(int attempt) {
  static thread_local std::mt19937 random(std::random_device{}());
  const auto longest = std::min(kMaxDelay, kFirst * (1 << std::min(attempt, 8)));
  return to_duration(Seconds(longest) * std::uniform_real_distribution(0.5, 1.0)(random));
}

}  // namespace surtitle
