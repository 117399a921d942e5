// Time of each stage of an Inference on the CPU, for benchmarks.
//
// A StageClock starts switched off and then costs one branch a stage.
//
// Thread-safety: none; each thread has its own clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace surtitle {

enum class Stage {
  kEmbedding,
  kNorm,
  kSelfMatrices,    // queries, keys and values, and the output
  kSelfAttention,   // writing the cache, and attention to it
  kAlignment,       // predictions of cross-attention, and the policy's decision
  kCrossMatrices,   // queries and the output; when encoding, keys and values
  kCrossAttention,  // its prior and attention; when encoding, writing the cache
  kFeedForward,
  kOutput,  // the projection to the vocabulary and its largest value
};
constexpr std::size_t kStages = 9;

using StageTimes = std::array<double, kStages>;  // seconds, by Stage

class StageClock {
 public:
  // Switches the clock on with all times at 0, or off.
  void turn(bool on) {
    on_ = on;
    if (on) times_ = {};
  }
  void begin() {
    if (on_) [[unlikely]]
      since_ = Clock::now();
  }
  // Adds the time since begin() or the last end() to `stage`.
  void end(Stage stage) {
    if (on_) [[unlikely]]
      add(stage);
  }
  const StageTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;

  void add(Stage stage) {
    const auto now = Clock::now();
    times_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
  }

  bool on_ = false;
  Clock::time_point since_;
  StageTimes times_{};
};

}  // namespace surtitle
