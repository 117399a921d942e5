#include "daemon/admission.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace surtitle {
namespace {

// Somebody who speaks: three words a second, two tokens to a word, read and written.
constexpr double kSpokenTokens = 12;      // a second
constexpr double kMostOfNetwork = 0.8;    // one thread has no more than its time
constexpr double kNetworkShare = 0.0006;  // of the thread's time
// So many running streams' mean counts as much as that.
constexpr double kPriorStreams = 50;

constexpr double kReopen = 0.9;              // of the load, closed
constexpr double kReopenDelay = 0.5;         // likewise
constexpr std::uint32_t kEnoughDelays = 20;  // to speak of one in twenty
constexpr int kLeastRetry = 5;               // seconds
constexpr int kRetrySpread = 11;             // a prime, so that all of them come in turn

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * std::min(share, 9.99)))) + " %";
}

}  // namespace

void WorkPrice::add(Seconds duration, double work) {
  steps_ += 1;
  work_ += work;
  seconds_ += duration.count();
  square_ += work * work;
  product_ += work * duration.count();
}

WorkPrice& WorkPrice::operator+=(const WorkPrice& other) {
  steps_ += other.steps_;
  work_ += other.work_;
  seconds_ += other.seconds_;
  square_ += other.square_;
  product_ += other.product_;
  return *this;
}

double WorkPrice::price() const noexcept {
  constexpr double kOneSize = 1e-6;
  constexpr double kLeast = 0.05;  // of the mean: a step that waited for a processor bends the line
  const double spread = steps_ * square_ - work_ * work_;
  if (spread > kOneSize * steps_ * square_) {
    return std::max((steps_ * product_ - work_ * seconds_) / spread, kLeast * seconds_ / work_);
  }
  return square_ > 0 ? product_ / square_ : 0;
}

void Admission::add_model(std::string name, const WorkPrice& price) {
  Model& model = models_.emplace_back();
  model.name = std::move(name);
  model.before = price;
}

void Admission::worked(std::size_t model, Seconds duration, int tokens, TimePoint now) {
  if (tokens > 0) {
    const std::lock_guard lock(mutex_);
    models_.at(model).recent.now(now).add(duration, tokens);
  }
}

void Admission::network_busy(Seconds busy, TimePoint now) {
  network_.now(now).value += busy.count();
}

void Admission::network_gave_way(Seconds time, TimePoint now) {
  network_.now(now).value -= time.count();
}

void Admission::delayed(Seconds delay, bool ahead, TimePoint now) {
  if (ahead) {
    ahead_.now(now).value += 1;
  } else {
    delays_.now(now).add(delay);
  }
}

void Admission::began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
  std::sort(models.begin(), models.end());
  models.erase(std::unique(models.begin(), models.end()), models.end());
  const Running& running = running_[stream] = {std::move(models), now};
  count(running, 1);
  latest_.emplace_back(stream, now);
  grow_warm(now);
}

void Admission::ended(std::uint64_t stream) {
  if (const auto running = running_.extract(stream)) {
    count(running.mapped(), -1);
  }
}

void Admission::count(const Running& running, int more) {
  const auto count_in = [&](Count& streams) {
    (running.fresh ? streams.fresh : streams.warm) += more;
    if (running.fresh) {
      streams.fresh_since += more * Seconds(running.began.time_since_epoch());
    }
  };
  count_in(streams_);
  for (const std::size_t model : running.models) {
    count_in(models_.at(model).streams);
  }
}

// What began a window ago is measured by now.
void Admission::grow_warm(TimePoint now) {
  for (; !latest_.empty() && latest_.front().second + kWindow <= now; latest_.pop_front()) {
    const auto found = running_.find(latest_.front().first);
    if (found != running_.end()) {
      count(found->second, -1);
      found->second.fresh = false;
      count(found->second, 1);
    }
  }
}

std::optional<Overload> Admission::refuses(std::span<const std::size_t> models, TimePoint now) {
  if (!on() || streams_.warm + streams_.fresh == 0) {
    closed_ = false;
    return std::nullopt;
  }
  std::optional<std::string> why = overload(models, now);
  if (!why && closed_ && now < closed_at_ + kClosed) {
    why = "it was overloaded a moment ago";
  }
  if (!why) {
    closed_ = false;
    return std::nullopt;
  }
  if (!std::exchange(closed_, true)) {
    closed_at_ = now;
  }
  refused_at_ = now;
  const int retry = kLeastRetry + refused_++ % kRetrySpread;
  return Overload{"the daemon translates as much as it can in time: " + *why + "; try again in " +
                      std::to_string(retry) + " s",
                  retry};
}

std::optional<std::string> Admission::overload(std::span<const std::size_t> models, TimePoint now) {
  grow_warm(now);
  const double most = options_.load * (closed_ ? kReopen : 1);
  const double spoken = spoken_share(now);
  for (const std::size_t number : models) {
    const Model& model = models_.at(number);
    if (model.streams.warm + model.streams.fresh == 0) {
      continue;  // the first one is let in, whatever it comes to
    }
    const double all = expected(spoken * model_load(number, now),
                                kSpokenTokens * model.before.price(), model.streams, now);
    if (all > most) {
      return "its streams take " + percent(all) + " of the time of model " + model.name;
    }
  }
  const double network = expected(spoken * network_load(now), kNetworkShare, streams_, now);
  if (network > std::min(most, kMostOfNetwork)) {
    return "its streams take " + percent(network) + " of the time of its network thread";
  }
  const double late_now = late(now);
  if (late_now > options_.delay.count() * (closed_ ? kReopenDelay : 1)) {
    std::ostringstream said;
    said << "one word in twenty is late by " << std::lround(1000 * late_now) << " ms and more";
    return said.str();
  }
  return std::nullopt;
}

// The load once the fresh streams and one more have begun to speak. What is measured is theirs as
// far as they were there, and what it took to let them in.
double Admission::expected(double load, double prior, const Count& count, TimePoint now) {
  const Seconds ages = count.fresh * Seconds(now.time_since_epoch()) - count.fresh_since;
  const double of_warm =
      count.warm == 0 ? 0
                      : load * count.warm / (count.warm + std::max(ages / Seconds(kWindow), 0.0));
  const double each = (kPriorStreams * prior + of_warm) / (kPriorStreams + count.warm);
  return std::max(load + each, of_warm + (count.fresh + 1) * each);
}

// Where little happened lately, what it cost before counts for more. REQUIRES: locked.
double Admission::price(Model& model, TimePoint now) const {
  WorkPrice all = model.before;
  all += model.recent.sum(now);
  return all.price();
}

double Admission::model_load(std::size_t number, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Model& model = models_.at(number);
  const double work = model.recent.sum(now).work();
  return work * price(model, now) / Seconds(kWindow).count();
}

double Admission::network_load(TimePoint now) {
  return std::max(network_.sum(now).value, 0.0) / Seconds(kWindow).count();
}

// Of the words that were translated, those that came no faster than speech.
double Admission::spoken_share(TimePoint now) {
  const double ahead = ahead_.sum(now).value;
  const auto spoken = static_cast<double>(delays_.sum(now).count());
  return ahead == 0 ? 1 : spoken / (spoken + ahead);
}

double Admission::late(TimePoint now) {
  const DelayHistogram delays = delays_.sum(now);
  return delays.count() < kEnoughDelays ? 0 : delays.quantile(0.95)->count();
}

}  // namespace surtitle
