// Estimates the load of the models and of the network thread, now and with one more stream.
//
// A load is the share of its time that a model's loop or the network thread needs for its streams.
// It is measured over the last two seconds, and the demand of each stream over ten. README.md in
// this folder has the cost model.
//
// Thread-safety: add_step() may be called from any thread, everything else from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/base/sliding_window.h"
#include "daemon/translation/step_cost_model.h"
#include "model/util/mutex.h"

namespace surtitle {

class LoadEstimator {
 public:
  static constexpr std::chrono::seconds kWindow{2};   // of loads
  static constexpr std::chrono::seconds kMemory{10};  // of the demand of streams

  // Adds a model. Models are numbered in this order. `cost`: of steps before there were streams.
  // REQUIRES: called before all other functions.
  void add_model(const StepCostModel& cost);
  // Adds a step of the model's loop. `tokens`: read and written.
  void add_step(std::size_t model, Seconds duration, int tokens, TimePoint now);
  // Adds the busy time of the network thread since the last call.
  void network_busy(Seconds busy, TimePoint now) { network_.add({busy.count()}, now); }
  // Subtracts time of background work, which yields to all other work. It is measured by a
  // ThreadBusyTime, too, and is part of what network_busy() adds before or after.
  void exclude_background(Seconds time, TimePoint now) { network_busy(-time, now); }
  // Adds source words (words_of_speech.h) when they arrive, and when they are translated.
  // `faster_than_realtime`: they arrived faster than speech.
  void add_words(std::size_t model, int words, bool faster_than_realtime, TimePoint now);

  // Count a stream that begins, and its end.
  void add_stream(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  void remove_stream(std::uint64_t stream, TimePoint now);
  // Reserves load for a stream that will begin later under another number, until remove_stream().
  void reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  // Advances the time of the streams. After a pause longer than kWindow, only kWindow of it is
  // added. REQUIRES: called a few times a second.
  void advance_time(TimePoint now);

  // The number of streams, reserved ones included.
  int streams() const noexcept { return all_.streams.all(); }
  int streams(std::size_t model) const { return models_.at(model).streams.all(); }

  // The measured loads.
  double model_load(std::size_t model, TimePoint now);
  double network_load(TimePoint now);
  // The loads that are expected once the streams without a measurement, and one more stream, send
  // words.
  double expected_model_load(std::size_t model, TimePoint now);
  double expected_network_load(TimePoint now);

 private:
  struct Sum {
    double value = 0;
    Sum& operator+=(const Sum& other) {
      value += other.value;
      return *this;
    }
  };
  template <class Slice>
  struct Recent {
    SlidingWindow<Slice> lately{kWindow};
    SlidingWindow<Slice> remembered{kMemory};
    void add(const Slice& more, TimePoint now) {
      lately.slice_at(now) += more;
      remembered.slice_at(now) += more;
    }
  };
  enum class Stage {
    kExpected,  // reserved
    kFresh,     // began less than kMemory ago
    kWarm,
  };
  struct Count {
    int expected = 0;
    int fresh = 0;
    int warm = 0;
    SlidingWindow<Sum> seconds{kMemory};  // total time of the running streams
    int running() const noexcept { return fresh + warm; }
    int all() const noexcept { return expected + running(); }
    int& operator[](Stage stage) noexcept {
      return stage == Stage::kExpected ? expected : stage == Stage::kFresh ? fresh : warm;
    }
  };
  // A shared resource: a model, or the daemon as a whole with its network thread.
  struct Shared {
    Count streams;
    // Words, counted when they arrive and when they are translated.
    Recent<Sum> spoken;                // that arrived no faster than speech
    Recent<Sum> faster_than_realtime;  // all others
    double expected(double load, double work, double prior, TimePoint now);
  };
  struct Model : Shared {
    StepCostModel calibrated;  // before there were streams
  };
  struct Running {
    std::vector<std::size_t> models;
    Stage stage = Stage::kFresh;
  };

  void enter(std::uint64_t stream, std::vector<std::size_t> models, Stage stage, TimePoint now);
  void promote_warmed(TimePoint now);
  void count(const Running& running, int more);

  Mutex mutex_;
  std::vector<Recent<StepCostModel>> steps_ GUARDED_BY(mutex_);  // of each model

  std::vector<Model> models_;
  Recent<Sum> network_;  // seconds
  Shared all_;
  TimePoint summed_to_;  // the time up to which advance_time() has counted the streams' seconds
  std::map<std::uint64_t, Running> running_;
  std::deque<std::pair<std::uint64_t, TimePoint>> latest_;  // fresh streams; some have ended
};

}  // namespace surtitle
