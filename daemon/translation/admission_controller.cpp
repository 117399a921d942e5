#include "daemon/translation/admission_controller.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace surtitle {
namespace {

// Somebody who speaks: three words a second, two tokens to a word, read and written.
constexpr double kSpokenTokens = 12;      // a second
constexpr double kMaxNetworkLoad = 0.8;   // one thread has no more than its time
constexpr double kNetworkShare = 0.0006;  // of the thread's time
// The assumed cost of a speaker weighs as much as this many measured streams.
constexpr double kPriorStreams = 50;

constexpr double kReopen = 0.9;              // of the load, closed
constexpr double kReopenDelay = 0.5;         // likewise
constexpr std::uint32_t kEnoughDelays = 20;  // to speak of one in twenty
// Who is refused is told a time 20 ms after the one before. Where 60 s are full, times begin at 5 s
// again, between those that were told.
constexpr std::chrono::seconds kMinRetry{5};
constexpr std::chrono::seconds kMaxRetry{60};
constexpr std::chrono::milliseconds kBetweenRetries{20};

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * std::min(share, 9.99)))) + " %";
}

}  // namespace

void StepCostModel::add(Seconds duration, double work) {
  steps_ += 1;
  work_ += work;
  seconds_ += duration.count();
  square_ += work * work;
  product_ += work * duration.count();
}

StepCostModel& StepCostModel::operator+=(const StepCostModel& other) {
  steps_ += other.steps_;
  work_ += other.work_;
  seconds_ += other.seconds_;
  square_ += other.square_;
  product_ += other.product_;
  return *this;
}

double StepCostModel::token_cost() const noexcept {
  constexpr double kOneSize = 1e-6;
  constexpr double kMin = 0.05;  // of the mean: a step that waited for a processor bends the line
  const double spread = steps_ * square_ - work_ * work_;
  if (spread > kOneSize * steps_ * square_) {
    return std::max((steps_ * product_ - work_ * seconds_) / spread, kMin * seconds_ / work_);
  }
  return square_ > 0 ? product_ / square_ : 0;
}

double StepCostModel::predict(const StepCostModel& steps) const noexcept {
  if (steps_ == 0) {
    return 0;
  }
  const double own = std::max((seconds_ - token_cost() * work_) / steps_, 0.0);  // a
  return own * steps.steps_ + token_cost() * steps.work_;
}

void Admission::add_model(std::string name, const StepCostModel& cost) {
  Model& model = models_.emplace_back();
  model.name = std::move(name);
  model.calibrated = cost;
}

void Admission::worked(std::size_t model, Seconds duration, int tokens, TimePoint now) {
  if (tokens > 0) {
    StepCostModel step;
    step.add(duration, tokens);
    const std::lock_guard lock(mutex_);
    models_.at(model).steps.add(step, now);
  }
}

void Admission::network_busy(Seconds busy, TimePoint now) { network_.add({busy.count()}, now); }

void Admission::exclude_background(Seconds time, TimePoint now) {
  network_.add({-time.count()}, now);
}

void Admission::delayed(std::size_t model, Seconds delay, bool faster_than_realtime,
                        TimePoint now) {
  for (Shared* shared : {&all_, static_cast<Shared*>(&models_.at(model))}) {
    (faster_than_realtime ? shared->faster_than_realtime : shared->spoken).add({1}, now);
  }
  if (!faster_than_realtime) {
    delays_.now(now).add(delay);
  }
}

void Admission::enter(std::uint64_t stream, std::vector<std::size_t> models, Stage stage,
                      TimePoint now) {
  std::sort(models.begin(), models.end());
  models.erase(std::unique(models.begin(), models.end()), models.end());
  tick(now);
  count(running_[stream] = {std::move(models), stage}, 1);
}

void Admission::began(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
  enter(stream, std::move(models), Stage::kFresh, now);
  latest_.emplace_back(stream, now);
  promote_warmed(now);
}

void Admission::reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
  enter(stream, std::move(models), Stage::kExpected, now);
}

void Admission::ended(std::uint64_t stream, TimePoint now) {
  tick(now);
  if (const auto running = running_.extract(stream)) {
    count(running.mapped(), -1);
  }
}

void Admission::count(const Running& running, int more) {
  all_.streams[running.stage] += more;
  for (const std::size_t model : running.models) {
    models_.at(model).streams[running.stage] += more;
  }
}

void Admission::tick(TimePoint now) {
  if (now <= summed_to_) {
    return;
  }
  const Seconds passed = std::min<Seconds>(now - summed_to_, kWindow);
  summed_to_ = now;
  const auto pass = [&](Count& streams) {
    streams.seconds.now(now).value += streams.running() * passed.count();
  };
  pass(all_.streams);
  for (Model& model : models_) {
    pass(model.streams);
  }
}

// What began before what is remembered is measured by now.
void Admission::promote_warmed(TimePoint now) {
  for (; !latest_.empty() && latest_.front().second + kMemory <= now; latest_.pop_front()) {
    const auto found = running_.find(latest_.front().first);
    if (found != running_.end()) {
      count(found->second, -1);
      found->second.stage = Stage::kWarm;
      count(found->second, 1);
    }
  }
}

std::optional<Overload> Admission::check(std::span<const std::size_t> models, TimePoint now) {
  if (!on() || all_.streams.all() == 0) {
    return std::nullopt;
  }
  const std::optional<Violation> violation = overload(models, now);
  if (!violation) {
    return std::nullopt;
  }
  violation->of->closed = {violation->of->is_closed(now) ? violation->of->closed->since : now, now};
  next_retry_ = std::max(next_retry_ + kBetweenRetries, now + kMinRetry);
  if (next_retry_ > now + kMaxRetry) {
    next_retry_ = now + kMinRetry;
  }
  const auto retry = std::chrono::ceil<std::chrono::seconds>(next_retry_ - now).count();
  return Overload{"the daemon translates as much as it can in time: " + violation->message +
                      "; try again in " + std::to_string(retry) + " s",
                  static_cast<int>(retry)};
}

void Admission::on_admitted(std::span<const std::size_t> models) noexcept {
  all_.closed.reset();
  for (const std::size_t model : models) {
    models_[model].closed.reset();
  }
}

bool Admission::Shared::is_closed(TimePoint now) const noexcept {
  return closed && now < closed->refused_at + kMaxRetry;
}

// Who was told the least time to come again has come by then.
bool Admission::closed(TimePoint now) const noexcept {
  const auto refused_lately = [now](const Shared& shared) {
    return shared.closed && now < shared.closed->refused_at + kMinRetry + kWindow;
  };
  return on() &&
         (refused_lately(all_) || std::any_of(models_.begin(), models_.end(), refused_lately));
}

std::optional<Admission::Violation> Admission::overload(std::span<const std::size_t> models,
                                                        TimePoint now) {
  tick(now);
  promote_warmed(now);
  Shared* reopening = nullptr;
  const auto bound = [&](Shared& shared, double most, double share) {
    if (!shared.is_closed(now)) {
      return most;
    }
    if (now < shared.closed->since + kClosed) {
      reopening = &shared;
    }
    return share * most;
  };
  for (const std::size_t number : models) {
    Model& model = models_.at(number);
    if (model.streams.all() == 0) {
      continue;  // the first one is let in, whatever it comes to
    }
    const double load = expected(model_load(number, now), remembered_work(number, now),
                                 kSpokenTokens * model.calibrated.token_cost(), model, now);
    if (load > bound(model, options_.max_load, kReopen)) {
      return Violation{"its streams take " + percent(load) + " of the time of model " + model.name,
                       &model};
    }
  }
  const double network =
      expected(network_load(now), network_.remembered.sum(now).value, kNetworkShare, all_, now);
  if (network > bound(all_, std::min(options_.max_load, kMaxNetworkLoad), kReopen)) {
    return Violation{"its streams take " + percent(network) + " of the time of its network thread",
                     &all_};
  }
  const double late_now = delay_p95(now);
  if (late_now > bound(all_, options_.max_delay_p95.count(), kReopenDelay)) {
    std::ostringstream said;
    said << "one word in twenty is late by " << std::lround(1000 * late_now) << " ms and more";
    return Violation{said.str(), &all_};
  }
  if (reopening != nullptr) {
    return Violation{"it was overloaded a moment ago", reopening};
  }
  return std::nullopt;
}

// The load once the streams without a measurement and one more have begun to speak. `work`: seconds
// of work that are remembered. They are divided by the seconds of the streams; work for words ahead
// of speech is left out. Where the prior is not known, it counts for nothing.
double Admission::expected(double load, double work, double prior, Shared& shared, TimePoint now) {
  Count& count = shared.streams;
  const double seconds = count.seconds.sum(now).value;
  const double spoken =
      share(shared.spoken.remembered, shared.faster_than_realtime.remembered, now);
  const double of_each = seconds > 0 ? spoken * std::max(work, 0.0) / seconds : 0;
  // The work of coming is no work of speaking: what those cost who have just come tells nothing.
  const double measured = count.warm;
  const double supposed = prior > 0 || measured == 0 ? kPriorStreams : 0;
  const double each = (supposed * prior + measured * of_each) / (supposed + measured);
  return std::max(
      share(shared.spoken.lately, shared.faster_than_realtime.lately, now) * load + each,
      count.warm * of_each + (count.expected + count.fresh + 1) * each);
}

double Admission::model_load(std::size_t number, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Model& model = models_.at(number);
  return load(model, model.steps.lately.sum(now)) / Seconds(kWindow).count();
}

double Admission::remembered_work(std::size_t number, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Model& model = models_.at(number);
  return load(model, model.steps.remembered.sum(now));
}

// Returns the seconds that the tokens of these steps cost. A small step does not show the cost of a
// token. Therefore the calibrated cost is taken, times how much slower steps are now: other threads
// use the processor, or sentences are longer.
double Admission::load(const Model& model, const StepCostModel& steps) {
  const double before = model.calibrated.predict(steps);
  const double cost =
      before > 0 ? model.calibrated.token_cost() * steps.seconds() / before : steps.token_cost();
  return steps.work() * cost;
}

double Admission::network_load(TimePoint now) {
  return std::max(network_.lately.sum(now).value, 0.0) / Seconds(kWindow).count();
}

// Of the words that were translated, those that came no faster than speech.
double Admission::share(SlidingWindow<Sum>& spoken, SlidingWindow<Sum>& faster_than_realtime,
                        TimePoint now) {
  const double faster = faster_than_realtime.sum(now).value;
  const double slower = spoken.sum(now).value;
  return faster == 0 ? 1 : slower / (slower + faster);
}

double Admission::delay_p95(TimePoint now) {
  const DelayHistogram delays = delays_.sum(now);
  return delays.count() < kEnoughDelays ? 0 : delays.quantile(0.95)->count();
}

}  // namespace surtitle
