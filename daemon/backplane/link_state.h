// What the parts of the backplane know in common: whether Redis answers, and which streams were
// taken from other replicas.
//
// Thread-safety: full.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "daemon/backplane/redis_url.h"
#include "daemon/daemon_metrics.h"

namespace surtitle {

struct BackplaneOptions {
  RedisUrl url;
  std::string replica;                        // the same as long as its journal is the same
  std::chrono::milliseconds patience{250};    // with Redis, before it counts as away
  std::chrono::milliseconds heartbeat{1000};  // between two, and between attempts to reach Redis
  std::chrono::milliseconds replica_lives{5000};  // behind its last heartbeat
  std::chrono::milliseconds keep{86'400'000};     // what was written last, in Redis
};

// A stream that this replica has from now on.
struct Ownership {
  std::int64_t fence = 0;
  std::int64_t entries = 0;  // of its story in Redis
};

class LinkState {
 public:
  LinkState(BackplaneOptions options, DaemonMetrics& metrics);
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  const BackplaneOptions& options() const noexcept { return options_; }
  DaemonMetrics& metrics() noexcept { return metrics_; }

  bool up() const noexcept { return up_; }
  // Logged where it changes. `why`: one line.
  void set_up();
  void set_away(const std::string& why);

  void took(const std::string& stream, Ownership ownership);
  // Once.
  std::optional<Ownership> taken(const std::string& stream);

 private:
  const BackplaneOptions options_;
  DaemonMetrics& metrics_;
  std::atomic<bool> up_{false};
  std::mutex mutex_;
  bool told_ = false;                       // that it is away
  std::map<std::string, Ownership> taken_;  // guarded by mutex_, as is told_
};

}  // namespace surtitle
