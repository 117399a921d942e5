#include "daemon/backplane/redis_health.h"

#include <utility>

#include "daemon/base/log.h"

namespace surtitle {

LinkState::LinkState(BackplaneOptions options, DaemonMetrics& metrics)
    : options_(std::move(options)), metrics_(metrics) {
  metrics_.backplane_up(false);
}

bool LinkState::settled() const noexcept {
  return up_ && Clock::now() - up_since_.load() >= options_.replica_lives;
}

std::vector<std::string> LinkState::lacking() const {
  const std::lock_guard lock(mutex_);
  return lacking_;
}

void LinkState::set_caught_up(bool caught_up, std::vector<std::string> lacking) {
  const std::lock_guard lock(mutex_);
  lacking_ = std::move(lacking);
  caught_up_ = caught_up;
}

void LinkState::set_up() {
  if (!up_) {
    up_since_ = Clock::now();
  }
  if (!up_.exchange(true)) {
    const std::lock_guard lock(mutex_);
    told_ = false;
    ++arrivals_;
    log(LogLevel::kInfo, "the backplane is there", {{"redis", options_.url.place()}});
    metrics_.backplane_up(true);
  }
}

void LinkState::set_away(const std::string& why) {
  const bool was_up = up_.exchange(false);
  const std::lock_guard lock(mutex_);
  if (was_up || !std::exchange(told_, true)) {
    told_ = true;
    log(LogLevel::kError,
        "the backplane is away; streams and viewers of this replica go on, others wait",
        {{"cause", why}});
    metrics_.backplane_up(false);
  }
}

}  // namespace surtitle
