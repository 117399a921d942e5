// While it exists, lines of the log are made and discarded.
#pragma once

#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace surtitle {

class QuietLog {
 public:
  QuietLog() : log_(spdlog::default_logger()) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::null_sink_mt>()));
  }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;
  ~QuietLog() { spdlog::set_default_logger(log_); }

 private:
  const std::shared_ptr<spdlog::logger> log_;
};

}  // namespace surtitle
