// Claims streams of other replicas for their senders.
//
// Claiming a stream from a live owner needs its consent: a heartbeat, sent after our request, that
// reports the stream fully replicated. If the owner does not answer in time, the stream is claimed
// only if Redis has all that the sender has received (StreamOffsets::covers), and has not just
// returned.
//
// Thread-safety: none; one thread at a time. ClaimRequest::answer is called on that thread.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "daemon/backplane/claim_request.h"
#include "daemon/backplane/history_loader.h"
#include "daemon/backplane/orphan_scanner.h"
#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"

namespace surtitle {

class ClaimClient {
 public:
  ClaimClient(const RedisHealth& health, OrphanScanner& orphans, HistoryLoader& histories)
      : health_(health), orphans_(orphans), histories_(histories) {}

  void add(ClaimRequest request) { requests_.push_back(std::move(request)); }
  bool has_requests() const noexcept { return !requests_.empty(); }
  // Returns true if poll_owners() has to be called repeatedly.
  bool waits_for_owner() const noexcept { return !handoffs_.empty(); }

  // Begins with the next request, unless enough histories are in memory. Throws RedisError.
  void begin_next(RedisConnection& redis);
  // Checks the answers of owners. Throws RedisError.
  void poll_owners(RedisConnection& redis);
  // Answers all requests with kUnavailable, because Redis is unavailable.
  void abort();

 private:
  // A request that waits for the consent of the stream's owner.
  struct PendingHandoff {
    ClaimRequest request;
    std::string owner;
    Fence fence = {};       // of the owner
    std::string heartbeat;  // of the owner, at the time of the request
    TimePoint until;
  };
  enum class Consent { kGiven, kNotYet, kRefused };
  using MaybeResult = std::optional<ClaimResult>;

  template <typename Work>
  void answer_with(ClaimRequest& request, const Work& work);
  bool request_handoff(RedisConnection& redis, ClaimRequest& request);
  Consent consent(RedisConnection& redis, const PendingHandoff& handoff) const;
  MaybeResult refusal(RedisConnection& redis, const protocol::Resume& wanted) const;
  MaybeResult find(RedisConnection& redis, ClaimRequest& request, std::optional<Fence> fence);
  bool may_be_stale(RedisConnection& redis, const ClaimRequest& request,
                    std::optional<Fence> fence) const;

  const RedisHealth& health_;
  OrphanScanner& orphans_;
  HistoryLoader& histories_;
  std::deque<ClaimRequest> requests_;
  std::deque<PendingHandoff> handoffs_;
};

}  // namespace surtitle
