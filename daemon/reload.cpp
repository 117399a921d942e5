#include "daemon/reload.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

namespace surtitle {

Reload::Reload(asio::io_context& io, DaemonMetrics& metrics,
               std::vector<std::function<void()>> parts)
    : metrics_(metrics), signals_(io, SIGHUP), parts_(std::move(parts)) {
  wait();
}

void Reload::wait() {
  signals_.async_wait([this](error_code error, int /*signal*/) {
    if (error) {
      return;
    }
    for (const std::function<void()>& read : parts_) {
      try {
        read();
        metrics_.reloaded(true);
      } catch (const std::exception& failure) {
        metrics_.reloaded(false);
        spdlog::error("not read anew, what was read before holds: {}", failure.what());
      }
    }
    wait();
  });
}

}  // namespace surtitle
