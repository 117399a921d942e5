#include "daemon/translation/admission_controller.h"

#include <algorithm>
#include <cmath>

namespace surtitle {
namespace {

constexpr double kMaxNetworkLoad = 0.8;  // even if max_load is higher, as it is a single thread
constexpr double kReopen = 0.9;          // of the maximal load, while closed
constexpr double kReopenDelay = 0.5;     // of the maximal delay, while closed
// Each rejected client receives a retry time 20 ms after the one before, from 5 s to 60 s from now.
// After 60 s, the times begin at 5 s again.
constexpr std::chrono::seconds kMinRetry{5};
constexpr std::chrono::seconds kMaxRetry{60};
constexpr std::chrono::milliseconds kBetweenRetries{20};
// After this time, the client with the shortest retry time has retried.
constexpr std::chrono::seconds kRetried{7};

std::string percent(double share) {
  return std::to_string(std::lround(100 * std::min(share, 9.99))) + " %";
}

}  // namespace

void AdmissionController::add_model(std::string name, const StepCostModel& cost) {
  models_.push_back({std::move(name)});
  load_.add_model(cost);
}

void AdmissionController::add_delay(std::size_t model, Seconds delay, bool faster_than_realtime,
                                    TimePoint now) {
  load_.add_words(model, 1, faster_than_realtime, now);
  if (!faster_than_realtime) {
    delay_.add(delay, now);
  }
}

std::optional<Overload> AdmissionController::check(std::span<const std::size_t> models,
                                                   TimePoint now) {
  if (!on() || load_.streams() == 0) {
    return std::nullopt;
  }
  const std::optional<Violation> violation = overload(models, now);
  if (!violation) {
    return std::nullopt;
  }
  violation->of->closed = {violation->of->is_closed(now) ? violation->of->closed->since : now, now};
  const int retry = next_retry_seconds(now);
  return Overload{"the daemon cannot translate another stream in time: " + violation->message +
                      "; try again in " + std::to_string(retry) + " s",
                  retry};
}

int AdmissionController::next_retry_seconds(TimePoint now) {
  last_retry_ = std::max(last_retry_ + kBetweenRetries, now + kMinRetry);
  if (last_retry_ > now + kMaxRetry) {
    last_retry_ = now + kMinRetry;
  }
  return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(last_retry_ - now).count());
}

void AdmissionController::on_admitted(std::span<const std::size_t> models) noexcept {
  daemon_.closed.reset();
  for (const std::size_t model : models) {
    models_[model].closed.reset();
  }
}

bool AdmissionController::Resource::is_closed(TimePoint now) const noexcept {
  return closed && now < closed->refused_at + kMaxRetry;
}

bool AdmissionController::closed(TimePoint now) const noexcept {
  const auto refused_lately = [now](const Resource& resource) {
    return resource.closed && now < resource.closed->refused_at + kRetried;
  };
  return on() &&
         (refused_lately(daemon_) || std::any_of(models_.begin(), models_.end(), refused_lately));
}

std::optional<AdmissionController::Violation> AdmissionController::overload(
    std::span<const std::size_t> models, TimePoint now) {
  Resource* reopening = nullptr;
  const auto bound = [&](Resource& resource, double most, double share) {
    if (!resource.is_closed(now)) {
      return most;
    }
    if (now < resource.closed->since + kClosed) {
      reopening = &resource;
    }
    return share * most;
  };
  for (const std::size_t number : models) {
    if (load_.streams(number) == 0) {
      continue;  // a model's first stream is admitted whatever its load
    }
    Resource& model = models_.at(number);
    const double load = load_.expected_model_load(number, now);
    if (load > bound(model, options_.max_load, kReopen)) {
      return Violation{"the load of model " + model.name + " is " + percent(load), &model};
    }
  }
  const double network = load_.expected_network_load(now);
  if (network > bound(daemon_, std::min(options_.max_load, kMaxNetworkLoad), kReopen)) {
    return Violation{"the load of the network thread is " + percent(network), &daemon_};
  }
  const double late = delay_p95(now);
  if (late > bound(daemon_, options_.max_delay_p95.count(), kReopenDelay)) {
    return Violation{"the 95th percentile of words' delays is " +
                         std::to_string(std::lround(1000 * late)) + " ms",
                     &daemon_};
  }
  if (reopening != nullptr) {
    return Violation{"it was overloaded a moment ago", reopening};
  }
  return std::nullopt;
}

}  // namespace surtitle
