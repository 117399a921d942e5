#include "daemon/service/keep_alive.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace surtitle {

KeepAlive::KeepAlive(asio::io_context& io, const ServiceManager& manager, Stuck stuck)
    : manager_(manager), stuck_(std::move(stuck)), timer_(io) {
  if (manager_.watchdog()) {
    beat();
  }
}

void KeepAlive::beat() {
  const Seconds interval = *manager_.watchdog() / 2;
  const std::optional<std::string> standing = stuck_(interval);
  if (standing) {
    manager_.status(*standing);
    if (const auto line = warning_.happened(
            *standing + "; the service manager is not told that the daemon is alive",
            Clock::now())) {
      spdlog::error("{}", *line);
    }
  } else {
    if (stood_) {
      manager_.status("serving");
    }
    manager_.alive();
  }
  stood_ = standing.has_value();
  timer_.expires_after(to_duration(interval));
  timer_.async_wait([this](error_code error) {
    if (!error) {
      beat();
    }
  });
}

}  // namespace surtitle
