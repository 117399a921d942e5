#include "daemon/backplane/redis_health.h"

#include <utility>

#include "daemon/base/log.h"

namespace surtitle {

RedisHealth::RedisHealth(BackplaneOptions options, DaemonMetrics& metrics)
    : options_(std::move(options)), metrics_(metrics) {
  metrics_.backplane_up(false);
}

bool RedisHealth::membership_stable() const noexcept {
  return available_ && Clock::now() - available_since_.load() >= options_.heartbeat_ttl;
}

std::vector<std::string> RedisHealth::lagging_streams() const {
  const MutexLock lock(mutex_);
  return lagging_streams_;
}

void RedisHealth::set_caught_up(bool caught_up, std::vector<std::string> lagging_streams) {
  const MutexLock lock(mutex_);
  lagging_streams_ = std::move(lagging_streams);
  caught_up_ = caught_up;
}

void RedisHealth::set_available() {
  if (!available_) {
    available_since_ = Clock::now();
  }
  if (!available_.exchange(true)) {
    const MutexLock lock(mutex_);
    outage_logged_ = false;
    ++connect_count_;
    log(LogLevel::kInfo, "Backplane available", {{"redis", options_.url.endpoint()}});
    metrics_.backplane_up(true);
  }
}

void RedisHealth::set_unavailable(const std::string& why) {
  const bool was_available = available_.exchange(false);
  const MutexLock lock(mutex_);
  if (was_available || !std::exchange(outage_logged_, true)) {
    outage_logged_ = true;
    log(LogLevel::kError,
        "Backplane unavailable; streams and viewers of this replica continue, others wait",
        {{"error", why}});
    metrics_.backplane_up(false);
  }
}

}  // namespace surtitle
