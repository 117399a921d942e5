#include "daemon/server/reload.h"

#include <csignal>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {

Reload::Reload(asio::io_context& io, DaemonMetrics& metrics, const ServiceManager& manager,
               std::vector<std::function<void()>> parts)
    : metrics_(metrics), manager_(manager), signals_(io, SIGHUP), parts_(std::move(parts)) {
  wait();
}

void Reload::wait() {
  signals_.async_wait([this](error_code error, int /*signal*/) {
    if (!error) {
      read();
      wait();
    }
  });
}

void Reload::read() {
  manager_.reloading();
  int failed = 0;
  for (const std::function<void()>& part : parts_) {
    try {
      part();
      metrics_.reloaded(true);
    } catch (const std::exception& failure) {
      ++failed;
      metrics_.reloaded(false);
      log(LogLevel::kError, "Reload failed; keeping the previous configuration",
          {{"error", failure.what()}});
    }
  }
  manager_.ready(failed == 0 ? "serving" : "serving; the reload failed, see the log");
}

}  // namespace surtitle
