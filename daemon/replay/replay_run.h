// Runs all streams of a replay on a daemon.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/replay/replay_stream.h"

namespace surtitle {

class ReplayRun {
 public:
  // The watchers observe the first stream. REQUIRES: all arguments outlive the run.
  ReplayRun(asio::any_io_executor executor, const ReplayPlan& plan, ReplayWatchers watchers);

  // Starts the streams; `done` is called after the last one has ended.
  void begin(std::function<void()> done);

  // The first call ends the log of all streams. The second call cuts all connections.
  void stop() noexcept;

  ReplayReport& report() noexcept { return report_; }
  // Warnings and the message ready of the first stream.
  const std::vector<std::string>& warnings() const { return streams_.front()->warnings(); }
  const std::optional<protocol::Ready>& ready() const { return streams_.front()->ready(); }

  // Returns "3 of 50 streams failed; the first: ...", or nullopt if none failed.
  std::optional<std::string> failure() const;
  // Returns whether all streams failed.
  bool all_failed() const noexcept { return failures_ == plan_.streams; }

 private:
  void ended(std::optional<std::string> failure);

  const asio::any_io_executor executor_;
  const ReplayPlan& plan_;
  ReplayReport report_;
  std::vector<std::shared_ptr<ReplayStream>> streams_;
  std::function<void()> done_;
  TimePoint begin_;
  int running_ = 0;
  int failures_ = 0;
  std::string first_failure_;
};

}  // namespace surtitle
