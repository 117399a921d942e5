// Whether one more stream can be translated in time.
//
// Measured over the last two seconds: how late words are, and the load, the share of its time that
// a model's loop and the network thread are taken. A loop under load is never idle, because it
// forms its batch of whatever there is; so its load is the work that came, at the price that work
// has in large batches. A stream that began within that time has hardly said anything yet, and
// counts as what a stream comes to: at the beginning somebody who speaks, later the mean of those
// that run.
//
// Closed, it opens again only once there is clearly room, and never within a second.
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

#include "daemon/clock.h"
#include "daemon/delay_histogram.h"
#include "daemon/sliding_window.h"

namespace surtitle {

struct AdmissionOptions {
  Seconds delay{0};   // that one word in twenty may be late; 0: everybody is let in
  double load = 0.8;  // that streams may take; more is a longer delay, less leaves machine idle
};

// Why a stream is not let in.
struct Overload {
  std::string message;    // one sentence
  int retry_seconds = 0;  // when to try again; not the same for all who ask at once
};

// So many tokens read and written took so long, by least squares through the origin: large batches,
// whose price counts under load, weigh most.
class WorkPrice {
 public:
  void add(Seconds duration, double work) {
    product_ += duration.count() * work;
    square_ += work * work;
    work_ += work;
  }
  WorkPrice& operator+=(const WorkPrice& other) {
    product_ += other.product_;
    square_ += other.square_;
    work_ += other.work_;
    return *this;
  }
  double work() const noexcept { return work_; }
  // Seconds for each; 0 where nothing is known.
  double price() const noexcept { return square_ > 0 ? product_ / square_ : 0; }

 private:
  double product_ = 0;
  double square_ = 0;
  double work_ = 0;
};

class Admission {
 public:
  static constexpr std::chrono::seconds kWindow{2};
  static constexpr std::chrono::seconds kClosed{1};  // at least

  explicit Admission(AdmissionOptions options) : options_(options) {}

  bool on() const noexcept { return options_.delay.count() > 0; }
  const AdmissionOptions& options() const noexcept { return options_; }
  void configure(AdmissionOptions options) noexcept { options_ = options; }

  // Models are numbered in the order in which they are added, before all else. `price`: what work
  // cost before there were streams.
  void add_model(std::string name, const WorkPrice& price);
  // A step of the model's loop: tokens read and written.
  void worked(std::size_t model, Seconds duration, int tokens, TimePoint now);
  // The network thread had something to do for so long since it was asked last.
  void network_busy(Seconds busy, TimePoint now);
  // A word's translation came so late.
  void delayed(Seconds delay, TimePoint now);

  // Streams that are let in, asked or not, and their end.
  void began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now);
  void ended(std::uint64_t stream);

  // Whether a stream on these models may begin: nothing where it may.
  std::optional<Overload> refuses(std::span<const std::size_t> models, TimePoint now);

  // It refused a moment ago.
  bool closed(TimePoint now) const noexcept { return closed_ && now < refused_at_ + 2 * kWindow; }
  // Shares of the time, for whoever looks at it; without what fresh streams will come to.
  double model_load(std::size_t model, TimePoint now);
  double network_load(TimePoint now);
  double late(TimePoint now);  // seconds, of one word in twenty

 private:
  // Streams that a measured load stands for, and those that it does not yet.
  struct Count {
    int warm = 0;
    int fresh = 0;
  };
  struct Model {
    std::string name;
    WorkPrice before;  // there were streams
    SlidingWindow<WorkPrice> recent{kWindow};
    Count streams;
  };
  struct Busy {
    double seconds = 0;
    Busy& operator+=(const Busy& other) {
      seconds += other.seconds;
      return *this;
    }
  };
  struct Running {
    std::vector<std::size_t> models;
    bool fresh = true;
  };

  std::optional<std::string> overload(std::span<const std::size_t> models, TimePoint now);
  void grow_warm(TimePoint now);
  void count(const Running& running, int Count::*kind, int more);
  double price(Model& model, TimePoint now) const;
  static double expected(double load, double prior, const Count& count);

  AdmissionOptions options_;
  std::mutex mutex_;  // of what models worked
  std::deque<Model> models_;
  SlidingWindow<Busy> network_{kWindow};
  SlidingWindow<DelayHistogram> delays_{kWindow};
  Count streams_;
  std::map<std::uint64_t, Running> running_;
  std::deque<std::pair<std::uint64_t, TimePoint>> latest_;  // begun within the window; some ended
  bool closed_ = false;
  TimePoint closed_at_;
  TimePoint refused_at_;
  int refused_ = 0;
};

}  // namespace surtitle
