// Reads the histories of claimed streams from Redis, a page of each at a time.
//
// Thread-safety: none; one thread at a time. Callbacks run on that thread.
#pragma once

#include <deque>
#include <optional>

#include "daemon/backplane/claim_request.h"
#include "daemon/backplane/orphan_scanner.h"
#include "daemon/backplane/paged_history_reader.h"
#include "daemon/backplane/redis_health.h"

namespace surtitle {

class HistoryLoader {
 public:
  // `orphan` receives the histories that no sender has requested.
  HistoryLoader(const RedisHealth& health, OrphanScanner& orphans, ClaimAnswer orphan)
      : health_(health), orphans_(orphans), orphan_(std::move(orphan)) {}

  struct Reading {
    ClaimResult::Status status;
    Fence fence = {};
    PagedHistoryReader reader;
    std::optional<ClaimRequest> request = {};  // nullopt: an orphan
  };
  void add(Reading reading) { readings_.push_back(std::move(reading)); }
  bool empty() const noexcept { return readings_.empty(); }
  // Returns true if enough histories are in memory.
  bool full() const noexcept { return readings_.size() >= kMaxReadings; }

  // Reads a page of each history, and calls back for those that are complete. Throws RedisError.
  void read_pages(RedisConnection& redis);
  // Redis is unavailable. Histories of owned streams are read again later.
  void abort();

 private:
  static constexpr std::size_t kMaxReadings = 4;

  void read_page(RedisConnection& redis);
  Reading pop();
  bool is_lost(RedisConnection& redis, const Reading& reading) const;
  void finish(Reading reading);
  void leave_unread(const Reading& reading, const std::string& why);

  const RedisHealth& health_;
  OrphanScanner& orphans_;
  const ClaimAnswer orphan_;
  std::deque<Reading> readings_;
};

}  // namespace surtitle
