// Admission control: estimates whether one more stream can be translated in time.
//
// Inputs are the delays of words and the load, both over the last two seconds. The load is the
// share of its time that a model's loop or the network thread needs for its streams. The demand of
// each stream is measured over ten seconds. New streams are rejected while the expected load or the
// delay is too high. README.md in this folder has the cost model and the rules.
//
// Thread-safety: worked() may be called from any thread, everything else from the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/base/delay_histogram.h"
#include "daemon/base/sliding_window.h"

namespace surtitle {

struct AdmissionOptions {
  Seconds max_delay_p95{0};  // 95th percentile of the delay of words; 0: every stream is admitted
  double max_load = 0.8;     // near 1, words are late; a lower value leaves time unused
};

// The rejection of a stream.
struct Overload {
  std::string message;    // one sentence
  int retry_seconds = 0;  // different for each client, as in a queue
};

// A least-squares model of the cost of decoder steps. A step of n tokens, read or written, lasts
// a + b n seconds.
class StepCostModel {
 public:
  void add(Seconds duration, double work);
  StepCostModel& operator+=(const StepCostModel& other);
  double work() const noexcept { return work_; }
  // Returns b, in seconds per token, or 0 if nothing is known. If all steps had the same size, a is
  // not known and is included in b.
  double token_cost() const noexcept;
  double seconds() const noexcept { return seconds_; }
  // Returns the seconds that other steps would last at the cost of these, or 0 if nothing is known.
  double predict(const StepCostModel& steps) const noexcept;

 private:
  double steps_ = 0;
  double work_ = 0;
  double seconds_ = 0;
  double square_ = 0;   // sum of work * work
  double product_ = 0;  // sum of work * seconds
};

class Admission {
 public:
  static constexpr std::chrono::seconds kWindow{2};   // of loads and delays
  static constexpr std::chrono::seconds kMemory{10};  // of the demand of streams
  static constexpr std::chrono::seconds kClosed{1};   // the shortest time that a part is closed

  explicit Admission(AdmissionOptions options) : options_(options) {}

  bool on() const noexcept { return options_.max_delay_p95.count() > 0; }
  const AdmissionOptions& options() const noexcept { return options_; }
  void configure(AdmissionOptions options) noexcept { options_ = options; }

  // Adds a model. Models are numbered in this order. `cost`: of steps before there were streams.
  // REQUIRES: called before all other functions.
  void add_model(std::string name, const StepCostModel& cost);
  // Adds a step of the model's loop. `tokens`: read and written.
  void worked(std::size_t model, Seconds duration, int tokens, TimePoint now);
  // Adds the busy time of the network thread since the last call.
  void network_busy(Seconds busy, TimePoint now);
  // Subtracts time of background work, which yields to all other work. It is measured by a
  // ThreadBusyTime, too, and is part of what network_busy() adds before or after.
  void exclude_background(Seconds time, TimePoint now);
  // Adds source words that arrived, as words of speech (words_of_speech.h).
  void arrived(std::size_t model, int words, bool faster_than_realtime, TimePoint now);
  // Adds the delay of a word's translation. `faster_than_realtime`: the word arrived faster than
  // speech.
  void delayed(std::size_t model, Seconds delay, bool faster_than_realtime, TimePoint now);

  // Count a stream that begins, whether or not check() was called for it, and its end.
  void began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  void ended(std::uint64_t stream, TimePoint now);
  // Reserves load for a stream that will begin later under another number, until ended().
  void reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  // Advances the time of the streams. After a pause longer than kWindow, only kWindow of it is
  // added. REQUIRES: called a few times a second.
  void tick(TimePoint now);

  // Returns nullopt if a stream on these models may begin.
  std::optional<Overload> check(std::span<const std::size_t> models, TimePoint now);
  // Opens these models again, as an admitted stream has begun.
  void on_admitted(std::span<const std::size_t> models) noexcept;

  // Whether a stream was rejected a short time ago and none was admitted since.
  bool closed(TimePoint now) const noexcept;
  // The measured loads, without the expected demand of new streams.
  double model_load(std::size_t model, TimePoint now);
  double network_load(TimePoint now);
  double delay_p95(TimePoint now);  // seconds; 0 if there are too few words

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
      lately.now(now) += more;
      remembered.now(now) += more;
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
  // From a rejection until a stream is admitted.
  struct Closed {
    TimePoint since;
    TimePoint refused_at;  // the last rejection
  };
  // A shared resource: a model, or the daemon as a whole with its network thread.
  struct Shared {
    Count streams;
    // Words, counted when they arrive and when they are translated.
    Recent<Sum> spoken;                // that arrived no faster than speech
    Recent<Sum> faster_than_realtime;  // all others
    std::optional<Closed> closed;
    bool is_closed(TimePoint now) const noexcept;
  };
  struct Model : Shared {
    std::string name;
    StepCostModel calibrated;  // before there were streams
    Recent<StepCostModel> steps;
  };
  struct Running {
    std::vector<std::size_t> models;
    Stage stage = Stage::kFresh;
  };
  // The limit that is exceeded, and the resource that is closed for it.
  struct Violation {
    std::string message;
    Shared* of = nullptr;
  };

  void enter(std::uint64_t stream, std::vector<std::size_t> models, Stage stage, TimePoint now);
  std::optional<Violation> overload(std::span<const std::size_t> models, TimePoint now);
  void promote_warmed(TimePoint now);
  void count(const Running& running, int more);
  double remembered_work(std::size_t model, TimePoint now);
  static double load(const Model& model, const StepCostModel& steps);
  static double share(SlidingWindow<Sum>& spoken, SlidingWindow<Sum>& faster_than_realtime,
                      TimePoint now);
  static double expected(double load, double work, double prior, Shared& shared, TimePoint now);

  AdmissionOptions options_;
  std::mutex mutex_;  // guards Model::steps
  std::deque<Model> models_;
  Recent<Sum> network_;  // seconds
  SlidingWindow<DelayHistogram> delays_{kWindow};
  Shared all_;
  TimePoint summed_to_;
  std::map<std::uint64_t, Running> running_;
  std::deque<std::pair<std::uint64_t, TimePoint>> latest_;  // fresh streams; some have ended
  TimePoint next_retry_;                                    // the retry time that was sent last
};

}  // namespace surtitle
