// Whether one more stream can be translated in time.
//
// Measured over the last two seconds: how late words are, and the load, the share of its time that
// a model's loop and the network thread are taken. A loop under load is never idle, because it
// forms its batch of whatever there is: a step costs a + b n, with n tokens, and steps grow until
// they keep up with R tokens a second, each taking a / (1 - R b). So its load is R b, what tokens
// cost on top of a step, and near 1 words are late, however small a step's own cost is. Small steps
// do not tell a from b: both are what was measured before there were streams, times how much longer
// steps take now.
//
// What streams come to is measured over the last ten seconds, for each second of each stream: where
// many wait to be let in, some of them come just when those that run happen to say little, and who
// is in stays. A stream younger than that, or one that is expected, has no measurement yet. It
// counts as the mean of the older streams; where there are few of these, as a typical speaker.
//
// Who sends words ahead of speech, a file or a request, waits for what it has sent itself: what is
// written for it is no delay, and its share of the load, a model's or the network thread's, is not
// counted. Whether it harms others is seen by their delays.
//
// A model that is overloaded is closed; the others are not, unless words are late or the network
// thread is busy. What is closed opens again only once there is clearly room, and never within a
// second; but where nobody has asked for a minute, that is forgotten. Where nobody is there, the
// first one is let in.
//
// Thread-safety: worked() from any thread; all else one owner, the network thread.
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
  Seconds max_delay_p95{0};  // of words, at the 95th percentile; 0: every stream is admitted
  double max_load = 0.8;     // of the streams; near 1 words are late, less leaves time unused
};

// Why a stream is not let in.
struct Overload {
  std::string message;    // one sentence
  int retry_seconds = 0;  // when to try again: one after the other, as in a queue
};

// A least-squares model of the cost of decoder steps: the seconds that each token, read or written,
// costs on top of a step (b above).
class StepCostModel {
 public:
  void add(Seconds duration, double work);
  StepCostModel& operator+=(const StepCostModel& other);
  double work() const noexcept { return work_; }
  // Seconds per token. If all steps were of one size, their own cost is not known, and counts as
  // the tokens'. Returns 0 if nothing is known.
  double token_cost() const noexcept;
  double seconds() const noexcept { return seconds_; }
  // Predicts the seconds of other steps at the cost of these. Returns 0 if nothing is known.
  double predict(const StepCostModel& steps) const noexcept;

 private:
  double steps_ = 0;
  double work_ = 0;
  double seconds_ = 0;
  double square_ = 0;   // of work, summed
  double product_ = 0;  // of work and seconds, likewise
};

class Admission {
 public:
  static constexpr std::chrono::seconds kWindow{2};
  static constexpr std::chrono::seconds kMemory{10};  // of what streams come to
  static constexpr std::chrono::seconds kClosed{1};   // at least

  explicit Admission(AdmissionOptions options) : options_(options) {}

  bool on() const noexcept { return options_.max_delay_p95.count() > 0; }
  const AdmissionOptions& options() const noexcept { return options_; }
  void configure(AdmissionOptions options) noexcept { options_ = options; }

  // Models are numbered in the order in which they are added, before all else. `cost`: of steps
  // before there were streams.
  void add_model(std::string name, const StepCostModel& cost);
  // A step of the model's loop: tokens read and written.
  void worked(std::size_t model, Seconds duration, int tokens, TimePoint now);
  // The network thread had something to do for so long since it was asked last.
  void network_busy(Seconds busy, TimePoint now);
  // So much of what network_busy() tells, now or next, was work that gives way to all else; on the
  // same clock (ThreadBusyTime).
  void exclude_background(Seconds time, TimePoint now);
  // Adds the delay of a word's translation by this model. `faster_than_realtime`: the word had come
  // faster than speech.
  void delayed(std::size_t model, Seconds delay, bool faster_than_realtime, TimePoint now);

  // Streams that are let in, asked or not, and their end.
  void began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  void ended(std::uint64_t stream, TimePoint now);
  // Reserves load for a stream that will run but does not yet; until ended().
  void reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  // Time goes on. REQUIRES: called a few times a second. After a pause longer than kWindow, only
  // kWindow of it counts as time of the streams.
  void tick(TimePoint now);

  // Returns nullopt if a stream on these models may begin.
  std::optional<Overload> check(std::span<const std::size_t> models, TimePoint now);
  // A stream that was admitted has begun: its models are open again.
  void on_admitted(std::span<const std::size_t> models) noexcept;

  // It refused somebody a moment ago, and has not opened since.
  bool closed(TimePoint now) const noexcept;
  // Shares of the time, for whoever looks at it; without what fresh streams will come to.
  double model_load(std::size_t model, TimePoint now);
  double network_load(TimePoint now);
  double delay_p95(TimePoint now);  // seconds, of one word in twenty

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
  enum class Stage { kExpected, kFresh, kWarm };  // warm: began before what is remembered
  struct Count {
    int expected = 0;
    int fresh = 0;
    int warm = 0;
    SlidingWindow<Sum> seconds{kMemory};  // of each that runs, summed
    int running() const noexcept { return fresh + warm; }
    int all() const noexcept { return expected + running(); }
    int& operator[](Stage stage) noexcept {
      return stage == Stage::kExpected ? expected : stage == Stage::kFresh ? fresh : warm;
    }
  };
  // From a refusal until somebody is let in.
  struct Closed {
    TimePoint since;
    TimePoint refused_at;  // the last one
  };
  // What streams share: a model, or the network thread with all else that all of them share.
  struct Shared {
    Count streams;
    Recent<Sum> spoken;                // words that came no faster than speech
    Recent<Sum> faster_than_realtime;  // and all others
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
  // The limit that is exceeded, and the part that is closed for it.
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
  std::mutex mutex_;  // of what models worked
  std::deque<Model> models_;
  Recent<Sum> network_;  // seconds
  SlidingWindow<DelayHistogram> delays_{kWindow};
  Shared all_;
  TimePoint summed_to_;
  std::map<std::uint64_t, Running> running_;
  std::deque<std::pair<std::uint64_t, TimePoint>> latest_;  // that began; some have ended
  TimePoint next_retry_;                                    // of who was refused last
};

}  // namespace surtitle
