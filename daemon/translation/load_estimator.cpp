#include "daemon/translation/load_estimator.h"

#include <algorithm>
#include <utility>

namespace surtitle {
namespace {

// A typical speaker: three words a second, two tokens for each word, each read and written.
constexpr double kSpokenTokens = 12;      // per second
constexpr double kNetworkShare = 0.0006;  // of the network thread's time
// The assumed cost of a speaker weighs as much as this many measured streams.
constexpr double kPriorStreams = 50;

// Returns the seconds that the tokens of these steps cost, without the steps' own cost. The cost of
// a token cannot be measured on small steps. Therefore it is the calibrated cost, times the present
// slowdown of steps (other threads use the processor, or sentences are longer).
double seconds_of_tokens(const StepCostModel& steps, const StepCostModel& calibrated) {
  const double before = calibrated.predict(steps);
  const double cost =
      before > 0 ? calibrated.token_cost() * steps.seconds() / before : steps.token_cost();
  return steps.tokens() * cost;
}

// Returns the share of the translated words that arrived no faster than speech.
double spoken_share(double spoken, double faster_than_realtime) {
  return faster_than_realtime == 0 ? 1 : spoken / (spoken + faster_than_realtime);
}

}  // namespace

void LoadEstimator::add_model(const StepCostModel& cost) {
  models_.emplace_back().calibrated = cost;
  const MutexLock lock(mutex_);
  steps_.emplace_back();
}

void LoadEstimator::add_step(std::size_t model, Seconds duration, int tokens, TimePoint now) {
  if (tokens > 0) {
    StepCostModel step;
    step.add(duration, tokens);
    const MutexLock lock(mutex_);
    steps_.at(model).add(step, now);
  }
}

void LoadEstimator::add_words(std::size_t model, int words, bool faster_than_realtime,
                              TimePoint now) {
  for (Shared* shared : {&all_, static_cast<Shared*>(&models_.at(model))}) {
    (faster_than_realtime ? shared->faster_than_realtime : shared->spoken)
        .add({static_cast<double>(words)}, now);
  }
}

void LoadEstimator::enter(std::uint64_t stream, std::vector<std::size_t> models, Stage stage,
                          TimePoint now) {
  std::sort(models.begin(), models.end());
  models.erase(std::unique(models.begin(), models.end()), models.end());
  advance_time(now);
  count(running_[stream] = {std::move(models), stage}, 1);
}

void LoadEstimator::add_stream(std::uint64_t stream, std::vector<std::size_t> models,
                               TimePoint now) {
  enter(stream, std::move(models), Stage::kFresh, now);
  latest_.emplace_back(stream, now);
}

void LoadEstimator::reserve(std::uint64_t stream, std::vector<std::size_t> models, TimePoint now) {
  enter(stream, std::move(models), Stage::kExpected, now);
}

void LoadEstimator::remove_stream(std::uint64_t stream, TimePoint now) {
  advance_time(now);
  if (const auto running = running_.extract(stream)) {
    count(running.mapped(), -1);
  }
}

void LoadEstimator::count(const Running& running, int more) {
  all_.streams[running.stage] += more;
  for (const std::size_t model : running.models) {
    models_.at(model).streams[running.stage] += more;
  }
}

void LoadEstimator::advance_time(TimePoint now) {
  if (now <= summed_to_) {
    return;
  }
  const Seconds passed = std::min<Seconds>(now - summed_to_, kWindow);
  summed_to_ = now;
  const auto pass = [&](Count& streams) {
    streams.seconds.slice_at(now).value += streams.running() * passed.count();
  };
  pass(all_.streams);
  for (Model& model : models_) {
    pass(model.streams);
  }
  promote_warmed(now);
}

// Streams that began before kMemory are measured by now.
void LoadEstimator::promote_warmed(TimePoint now) {
  for (; !latest_.empty() && latest_.front().second + kMemory <= now; latest_.pop_front()) {
    const auto found = running_.find(latest_.front().first);
    if (found != running_.end()) {
      count(found->second, -1);
      found->second.stage = Stage::kWarm;
      count(found->second, 1);
    }
  }
}

double LoadEstimator::model_load(std::size_t model, TimePoint now) {
  const MutexLock lock(mutex_);
  return seconds_of_tokens(steps_.at(model).lately.sum(now), models_.at(model).calibrated) /
         Seconds(kWindow).count();
}

double LoadEstimator::network_load(TimePoint now) {
  return std::max(network_.lately.sum(now).value, 0.0) / Seconds(kWindow).count();
}

double LoadEstimator::expected_model_load(std::size_t number, TimePoint now) {
  Model& model = models_.at(number);
  const double load = model_load(number, now);
  StepCostModel remembered;
  {
    const MutexLock lock(mutex_);
    remembered = steps_.at(number).remembered.sum(now);
  }
  advance_time(now);
  return model.expected(load, seconds_of_tokens(remembered, model.calibrated),
                        kSpokenTokens * model.calibrated.token_cost(), now);
}

double LoadEstimator::expected_network_load(TimePoint now) {
  advance_time(now);
  return all_.expected(network_load(now), network_.remembered.sum(now).value, kNetworkShare, now);
}

// `work`: seconds of work in kMemory, which are divided by the seconds of the streams. Work for
// words ahead of speech is left out. `prior`: the load of a typical speaker; 0 if it is unknown,
// which leaves it out.
double LoadEstimator::Shared::expected(double load, double work, double prior, TimePoint now) {
  const double seconds = streams.seconds.sum(now).value;
  const double remembered_share = spoken_share(spoken.remembered.sum(now).value,
                                               faster_than_realtime.remembered.sum(now).value);
  const double of_each = seconds > 0 ? remembered_share * std::max(work, 0.0) / seconds : 0;
  // The work of starting streams is not that of their words, so fresh streams are no measurement.
  const double measured = streams.warm;
  const double supposed = prior > 0 || measured == 0 ? kPriorStreams : 0;
  const double each = (supposed * prior + measured * of_each) / (supposed + measured);
  const double present_share =
      spoken_share(spoken.lately.sum(now).value, faster_than_realtime.lately.sum(now).value);
  return std::max(present_share * load + each,
                  streams.warm * of_each + (streams.expected + streams.fresh + 1) * each);
}

}  // namespace surtitle
