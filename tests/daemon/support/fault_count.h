// How often, and when, something happens to the daemons of a test that lets it happen at random.
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

// So many times, and where SURTITLE_CHAOS gives a factor, so many times that (0.1: a tenth), but at
// least twice, for tests that take two kinds in turn. Throws std::runtime_error on another value.
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

// What the test's choices follow from: SURTITLE_SEED, or another one each time. The choices are the
// same again, the machine's part in what happens is not.
inline unsigned chosen_seed() {
  const char* given = std::getenv("SURTITLE_SEED");
  return given == nullptr ? std::random_device()() : static_cast<unsigned>(std::stoul(given));
}

inline void wait_at_random(std::mt19937& random, std::chrono::microseconds most) {
  std::this_thread::sleep_for(std::chrono::microseconds(
      std::uniform_int_distribution<std::int64_t>(0, most.count())(random)));
}

}  // namespace surtitle
