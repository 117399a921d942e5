// Admission control: decides whether one more stream can be translated in time.
//
// New streams are rejected while the expected load (LoadEstimator) or the delay of words
// (DelayEstimator) is too high. README.md in this folder has the rules.
//
// Thread-safety: add_step() may be called from any thread, everything else from the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/translation/delay_estimator.h"
#include "daemon/translation/load_estimator.h"

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

class AdmissionController {
 public:
  static constexpr std::chrono::seconds kClosed{1};  // minimum time for which a resource is closed

  explicit AdmissionController(AdmissionOptions options) : options_(options) {}

  bool on() const noexcept { return options_.max_delay_p95.count() > 0; }
  void configure(AdmissionOptions options) noexcept { options_ = options; }

  // The inputs; LoadEstimator has their contracts. Streams count whether or not check() was called
  // for them.
  void add_model(std::string name, const StepCostModel& cost);
  void add_step(std::size_t model, Seconds duration, int tokens, TimePoint now) {
    load_.add_step(model, duration, tokens, now);
  }
  void network_busy(Seconds busy, TimePoint now) { load_.network_busy(busy, now); }
  void exclude_background(Seconds time, TimePoint now) { load_.exclude_background(time, now); }
  void add_stream(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
    load_.add_stream(stream, std::move(models), now);
  }
  void remove_stream(std::uint64_t stream, TimePoint now) { load_.remove_stream(stream, now); }
  void reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
    load_.reserve(stream, std::move(models), now);
  }
  void advance_time(TimePoint now) { load_.advance_time(now); }
  void add_words(std::size_t model, int words, bool faster_than_realtime, TimePoint now) {
    load_.add_words(model, words, faster_than_realtime, now);
  }
  // Adds the delay of a word's translation. `faster_than_realtime`: the word arrived faster than
  // speech, and its delay does not count.
  void add_delay(std::size_t model, Seconds delay, bool faster_than_realtime, TimePoint now);

  // Returns nullopt if a stream on these models may begin.
  std::optional<Overload> check(std::span<const std::size_t> models, TimePoint now);
  // Opens these models again, as an admitted stream has begun.
  void on_admitted(std::span<const std::size_t> models) noexcept;

  // Whether a stream was rejected a short time ago and none was admitted since.
  bool closed(TimePoint now) const noexcept;
  // The measurements, without the expected demand of new streams.
  double model_load(std::size_t model, TimePoint now) { return load_.model_load(model, now); }
  double network_load(TimePoint now) { return load_.network_load(now); }
  double delay_p95(TimePoint now) { return delay_.p95(now).count(); }  // seconds

 private:
  // From a rejection until a stream is admitted.
  struct Closed {
    TimePoint since;
    TimePoint refused_at;  // the last rejection
  };
  // A resource that is closed alone: a model, or the daemon as a whole with its network thread.
  struct Resource {
    std::string name;
    std::optional<Closed> closed = {};
    bool is_closed(TimePoint now) const noexcept;
  };
  // The limit that is exceeded, and the resource that is closed for it.
  struct Violation {
    std::string message;
    Resource* of = nullptr;
  };

  std::optional<Violation> overload(std::span<const std::size_t> models, TimePoint now);
  int next_retry_seconds(TimePoint now);

  AdmissionOptions options_;
  LoadEstimator load_;
  DelayEstimator delay_;
  std::vector<Resource> models_;
  Resource daemon_;
  TimePoint last_retry_;  // the time of the last rejected client's retry
};

}  // namespace surtitle
