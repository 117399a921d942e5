#include "daemon/translation/admission_controller.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace surtitle {
namespace {

// A typical speaker: three words a second, two tokens for each word, each read and written.
constexpr double kSpokenTokens = 12;      // per second
constexpr double kNetworkShare = 0.0006;  // of the network thread's time
constexpr double kMaxNetworkLoad = 0.8;   // even if max_load is higher, as it is a single thread
// The assumed cost of a speaker weighs as much as this many measured streams.
constexpr double kPriorStreams = 50;

constexpr double kReopen = 0.9;              // of the maximal load, while closed
constexpr double kReopenDelay = 0.5;         // of the maximal delay, while closed
constexpr std::uint32_t kEnoughDelays = 20;  // fewer delays have no 95th percentile
// Each rejected client receives a retry time 20 ms after the one before, from 5 s to 60 s from now.
// After 60 s, the times begin at 5 s again.
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
  constexpr double kMin = 0.05;  // of the mean; steps that waited for a processor bend the line
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

void Admission::arrived(std::size_t model, int words, bool faster_than_realtime, TimePoint now) {
  for (Shared* shared : {&all_, static_cast<Shared*>(&models_.at(model))}) {
    (faster_than_realtime ? shared->faster_than_realtime : shared->spoken)
        .add({static_cast<double>(words)}, now);
  }
}

void Admission::delayed(std::size_t model, Seconds delay, bool faster_than_realtime,
                        TimePoint now) {
  arrived(model, 1, faster_than_realtime, now);
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

// Streams that began before kMemory are measured by now.
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
  return Overload{"the daemon cannot translate another stream in time: " + violation->message +
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

// The client with the shortest retry time has retried by then.
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
      continue;  // a model's first stream is admitted whatever its load
    }
    const double load = expected(model_load(number, now), remembered_work(number, now),
                                 kSpokenTokens * model.calibrated.token_cost(), model, now);
    if (load > bound(model, options_.max_load, kReopen)) {
      return Violation{"the load of model " + model.name + " is " + percent(load), &model};
    }
  }
  const double network =
      expected(network_load(now), network_.remembered.sum(now).value, kNetworkShare, all_, now);
  if (network > bound(all_, std::min(options_.max_load, kMaxNetworkLoad), kReopen)) {
    return Violation{"the load of the network thread is " + percent(network), &all_};
  }
  const double late_now = delay_p95(now);
  if (late_now > bound(all_, options_.max_delay_p95.count(), kReopenDelay)) {
    std::ostringstream message;
    message << "the 95th percentile of words' delays is " << std::lround(1000 * late_now) << " ms";
    return Violation{message.str(), &all_};
  }
  if (reopening != nullptr) {
    return Violation{"it was overloaded a moment ago", reopening};
  }
  return std::nullopt;
}

// Returns the expected load when the streams without a measurement, and one more, send words.
// `work`: seconds of work in kMemory, which are divided by the seconds of the streams. Work for
// words ahead of speech is left out. `prior`: the load of a typical speaker; 0 if it is unknown,
// which leaves it out.
double Admission::expected(double load, double work, double prior, Shared& shared, TimePoint now) {
  Count& count = shared.streams;
  const double seconds = count.seconds.sum(now).value;
  const double spoken =
      share(shared.spoken.remembered, shared.faster_than_realtime.remembered, now);
  const double of_each = seconds > 0 ? spoken * std::max(work, 0.0) / seconds : 0;
  // The work of starting streams is not that of their words, so fresh streams are no measurement.
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

// Returns the seconds that the tokens of these steps cost, without the steps' own cost. The cost of
// a token cannot be measured on small steps. Therefore it is the calibrated cost, times the present
// slowdown of steps (other threads use the processor, or sentences are longer).
double Admission::load(const Model& model, const StepCostModel& steps) {
  const double before = model.calibrated.predict(steps);
  const double cost =
      before > 0 ? model.calibrated.token_cost() * steps.seconds() / before : steps.token_cost();
  return steps.work() * cost;
}

double Admission::network_load(TimePoint now) {
  return std::max(network_.lately.sum(now).value, 0.0) / Seconds(kWindow).count();
}

// Returns the share of the translated words that arrived no faster than speech.
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
