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
// The mean of so many running streams counts as much as that.
constexpr double kPriorStreams = 50;

constexpr double kReopen = 0.9;              // of the load, closed
constexpr double kReopenDelay = 0.5;         // likewise
constexpr std::uint32_t kEnoughDelays = 20;  // to speak of one in twenty
// Who is refused comes again so much later: one after the other, and those for whom there is no
// time left in between.
constexpr std::chrono::seconds kLeastRetry{5};
constexpr std::chrono::seconds kMostRetry{60};
constexpr std::chrono::milliseconds kBetweenRetries{20};

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

double WorkPrice::foresee(const WorkPrice& steps) const noexcept {
  if (steps_ == 0) {
    return 0;
  }
  const double own = std::max((seconds_ - price() * work_) / steps_, 0.0);  // a
  return own * steps.steps_ + price() * steps.work_;
}

void Admission::add_model(std::string name, const WorkPrice& price) {
  Model& model = models_.emplace_back();
  model.name = std::move(name);
  model.before = price;
}

void Admission::worked(std::size_t model, Seconds duration, int tokens, TimePoint now) {
  if (tokens > 0) {
    WorkPrice step;
    step.add(duration, tokens);
    const std::lock_guard lock(mutex_);
    models_.at(model).work.add(step, now);
  }
}

void Admission::network_busy(Seconds busy, TimePoint now) { network_.add({busy.count()}, now); }

void Admission::network_gave_way(Seconds time, TimePoint now) {
  network_.add({-time.count()}, now);
}

void Admission::delayed(Seconds delay, bool ahead, TimePoint now) {
  (ahead ? ahead_ : spoken_).add({1}, now);
  if (!ahead) {
    delays_.now(now).add(delay);
  }
}

void Admission::began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
  std::sort(models.begin(), models.end());
  models.erase(std::unique(models.begin(), models.end()), models.end());
  beat(now);
  const Running& running = running_[stream] = {std::move(models)};
  count(running, 1);
  latest_.emplace_back(stream, now);
  grow_warm(now);
}

void Admission::ended(std::uint64_t stream, TimePoint now) {
  beat(now);
  if (const auto running = running_.extract(stream)) {
    count(running.mapped(), -1);
  }
}

void Admission::count(const Running& running, int more) {
  const auto count_in = [&](Count& streams) {
    (running.fresh ? streams.fresh : streams.warm) += more;
  };
  count_in(streams_);
  for (const std::size_t model : running.models) {
    count_in(models_.at(model).streams);
  }
}

void Admission::beat(TimePoint now) {
  if (now <= summed_to_) {
    return;
  }
  const Seconds passed = std::min<Seconds>(now - summed_to_, kWindow);
  summed_to_ = now;
  streams_.seconds.now(now).value += streams_.all() * passed.count();
  for (Model& model : models_) {
    model.streams.seconds.now(now).value += model.streams.all() * passed.count();
  }
}

// What began before what is remembered is measured by now.
void Admission::grow_warm(TimePoint now) {
  for (; !latest_.empty() && latest_.front().second + kMemory <= now; latest_.pop_front()) {
    const auto found = running_.find(latest_.front().first);
    if (found != running_.end()) {
      count(found->second, -1);
      found->second.fresh = false;
      count(found->second, 1);
    }
  }
}

std::optional<Overload> Admission::refuses(std::span<const std::size_t> models, TimePoint now) {
  std::optional<Closed> closed;
  for (const std::size_t number : models) {
    std::optional<Closed>& of_model = models_.at(number).closed;
    if (of_model && now < of_model->refused_at + kMostRetry) {
      closed = {closed ? std::max(closed->since, of_model->since) : of_model->since, now};
    }
    of_model.reset();
  }
  if (!on() || streams_.all() == 0) {
    return std::nullopt;
  }
  std::optional<std::string> why = overload(models, closed.has_value(), now);
  if (!why && closed && now < closed->since + kClosed) {
    why = "it was overloaded a moment ago";
  }
  if (!why) {
    return std::nullopt;
  }
  for (const std::size_t number : models) {
    models_.at(number).closed = {closed ? closed->since : now, now};
  }
  next_retry_ = std::max(next_retry_ + kBetweenRetries, now + kLeastRetry);
  if (next_retry_ > now + kMostRetry) {
    next_retry_ = now + kLeastRetry;
  }
  const auto retry = std::chrono::ceil<std::chrono::seconds>(next_retry_ - now).count();
  return Overload{"the daemon translates as much as it can in time: " + *why + "; try again in " +
                      std::to_string(retry) + " s",
                  static_cast<int>(retry)};
}

bool Admission::closed(TimePoint now) const noexcept {
  return on() && std::any_of(models_.begin(), models_.end(), [now](const Model& model) {
           return model.closed && now < model.closed->refused_at + 2 * kWindow;
         });
}

std::optional<std::string> Admission::overload(std::span<const std::size_t> models, bool closed,
                                               TimePoint now) {
  beat(now);
  grow_warm(now);
  const double most = options_.load * (closed ? kReopen : 1);
  for (const std::size_t number : models) {
    Model& model = models_.at(number);
    if (model.streams.all() == 0) {
      continue;  // the first one is let in, whatever it comes to
    }
    const double all = expected(model_load(number, now), remembered_work(number, now),
                                kSpokenTokens * model.before.price(), model.streams, now);
    if (all > most) {
      return "its streams take " + percent(all) + " of the time of model " + model.name;
    }
  }
  const double network =
      expected(network_load(now), network_.remembered.sum(now).value, kNetworkShare, streams_, now);
  if (network > std::min(most, kMostOfNetwork)) {
    return "its streams take " + percent(network) + " of the time of its network thread";
  }
  const double late_now = late(now);
  if (late_now > options_.delay.count() * (closed ? kReopenDelay : 1)) {
    std::ostringstream said;
    said << "one word in twenty is late by " << std::lround(1000 * late_now) << " ms and more";
    return said.str();
  }
  return std::nullopt;
}

// The load once the fresh streams and one more have begun to speak. `work`: seconds of all that is
// remembered, which are put down to the streams as far as they were there, and to words that come
// no faster than speech. Where the prior is not known, it counts for nothing.
double Admission::expected(double load, double work, double prior, Count& count, TimePoint now) {
  const double seconds = count.seconds.sum(now).value;
  const double of_each = seconds > 0 ? share(spoken_.remembered, ahead_.remembered, now) *
                                           std::max(work, 0.0) / seconds
                                     : 0;
  // The work of coming is no work of speaking: what those cost who have just come tells nothing.
  const double measured = count.warm;
  const double supposed = prior > 0 || measured == 0 ? kPriorStreams : 0;
  const double each = (supposed * prior + measured * of_each) / (supposed + measured);
  return std::max(share(spoken_.lately, ahead_.lately, now) * load + each,
                  count.warm * of_each + (count.fresh + 1) * each);
}

double Admission::model_load(std::size_t number, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Model& model = models_.at(number);
  return load(model, model.work.lately.sum(now)) / Seconds(kWindow).count();
}

double Admission::remembered_work(std::size_t number, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Model& model = models_.at(number);
  return load(model, model.work.remembered.sum(now));
}

// Seconds that the tokens of these steps cost. Small steps do not tell what a token costs, but how
// much longer they took than they would have before: others want the processor, or sentences are
// longer.
double Admission::load(const Model& model, const WorkPrice& steps) {
  const double before = model.before.foresee(steps);
  const double price = before > 0 ? model.before.price() * steps.seconds() / before : steps.price();
  return steps.work() * price;
}

double Admission::network_load(TimePoint now) {
  return std::max(network_.lately.sum(now).value, 0.0) / Seconds(kWindow).count();
}

// Of the words that were translated, those that came no faster than speech.
double Admission::share(SlidingWindow<Sum>& spoken, SlidingWindow<Sum>& ahead, TimePoint now) {
  const double faster = ahead.sum(now).value;
  const double slower = spoken.sum(now).value;
  return faster == 0 ? 1 : slower / (slower + faster);
}

double Admission::late(TimePoint now) {
  const DelayHistogram delays = delays_.sum(now);
  return delays.count() < kEnoughDelays ? 0 : delays.quantile(0.95)->count();
}

}  // namespace surtitle
