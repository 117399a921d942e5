// What the parts of the backplane know in common: whether Redis answers, and whether it has all
// that this replica has said.
//
// Thread-safety: full.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/backplane/redis_url.h"
#include "daemon/base/clock.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

struct BackplaneOptions {
  RedisUrl url;
  std::string replica;                        // the same as long as its journal is the same
  std::string place = {};                     // where that is; one word
  std::chrono::milliseconds patience{250};    // with Redis, before it counts as away
  std::chrono::milliseconds heartbeat{1000};  // between two, and between attempts to reach Redis
  std::chrono::milliseconds replica_lives{5000};  // behind its last heartbeat
  std::chrono::milliseconds keep{86'400'000};     // what was written last, in Redis
  // Streams that have ended are sent again to a Redis that has lost them.
  std::chrono::milliseconds remember{60'000};
};

class LinkState {
 public:
  LinkState(BackplaneOptions options, DaemonMetrics& metrics);
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  const BackplaneOptions& options() const noexcept { return options_; }
  DaemonMetrics& metrics() noexcept { return metrics_; }

  bool up() const noexcept { return up_; }
  // It has been there for as long as a replica is believed to live: who lives has said so, and what
  // it has is there.
  bool settled() const noexcept;
  // How often it has come, for whoever was connected before.
  int arrivals() const noexcept { return arrivals_; }
  // Logged where it changes. `why`: one line.
  void set_up();
  void set_away(const std::string& why);

  // Redis has every entry that counts as stored here, but for those of the streams that it does not
  // take. Not before it was asked.
  bool caught_up() const noexcept { return caught_up_; }
  std::vector<std::string> lacking() const;
  void set_caught_up(bool caught_up, std::vector<std::string> lacking = {});

 private:
  const BackplaneOptions options_;
  DaemonMetrics& metrics_;
  std::atomic<bool> up_{false};
  std::atomic<TimePoint> up_since_{TimePoint()};
  std::atomic<int> arrivals_{0};
  std::atomic<bool> caught_up_{false};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool told_ = false;  // that it is away
  std::vector<std::string> lacking_;
};

}  // namespace surtitle
