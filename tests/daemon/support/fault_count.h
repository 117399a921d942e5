// Number and times of the random faults in tests of daemons.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

namespace surtitle {

// Returns `by_default`, times the factor SURTITLE_CHAOS if it is set (0.1: a tenth), but at least
// 2, because some tests alternate between two kinds. Throws std::runtime_error unless the factor is
// above 0 and at most 1000.
inline int fault_count(int by_default) {
  const char* text = std::getenv("SURTITLE_CHAOS");
  if (text == nullptr) {
    return by_default;
  }
  char* end = nullptr;
  const double factor = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(factor > 0) || factor > 1000) {
    throw std::runtime_error("SURTITLE_CHAOS must be a number above 0, up to 1000: " +
                             std::string(text));
  }
  return std::max(2, static_cast<int>(std::lround(by_default * factor)));
}

// Returns the seed of a test's random choices: SURTITLE_SEED, or another one each time. The same
// seed repeats the choices, but not the timing of the machine.
inline unsigned chosen_seed() {
  const char* given = std::getenv("SURTITLE_SEED");
  return given == nullptr ? std::random_device()() : static_cast<unsigned>(std::stoul(given));
}

inline void wait_at_random(std::mt19937& random, std::chrono::microseconds most) {
  std::this_thread::sleep_for(std::chrono::microseconds(
      std::uniform_int_distribution<std::int64_t>(0, most.count())(random)));
}

}  // namespace surtitle
