#include "daemon/backplane/link_state.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace surtitle {

LinkState::LinkState(BackplaneOptions options, DaemonMetrics& metrics)
    : options_(std::move(options)), metrics_(metrics) {
  metrics_.backplane_up(false);
}

void LinkState::set_up() {
  if (!up_.exchange(true)) {
    const std::lock_guard lock(mutex_);
    told_ = false;
    spdlog::info("backplane: Redis at {} is there", options_.url.place());
    metrics_.backplane_up(true);
  }
}

void LinkState::set_away(const std::string& why) {
  const bool was_up = up_.exchange(false);
  const std::lock_guard lock(mutex_);
  if (was_up || !std::exchange(told_, true)) {
    told_ = true;
    spdlog::error("backplane: {}; streams and viewers of this replica go on, others wait", why);
    metrics_.backplane_up(false);
  }
}

void LinkState::took(const std::string& stream, Ownership ownership) {
  const std::lock_guard lock(mutex_);
  taken_[stream] = ownership;
}

std::optional<Ownership> LinkState::taken(const std::string& stream) {
  const std::lock_guard lock(mutex_);
  const auto node = taken_.extract(stream);
  return node.empty() ? std::nullopt : std::optional(node.mapped());
}

}  // namespace surtitle
