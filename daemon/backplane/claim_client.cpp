#include "daemon/backplane/claim_client.h"

#include <utility>

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/crypto.h"

namespace surtitle {

using Status = ClaimResult::Status;

namespace {

constexpr std::chrono::milliseconds kHandoffTimeout{300};  // for the answer of an owner

bool covers(RedisConnection& redis, const protocol::Resume& wanted) {
  return read_offsets(redis, wanted.stream).covers(wanted);
}

}  // namespace

void ClaimClient::begin_next(RedisConnection& redis) {
  if (requests_.empty() || histories_.full()) {
    return;
  }
  ClaimRequest request = std::move(requests_.front());
  requests_.pop_front();
  answer_with(request, [&] {
    MaybeResult result = refusal(redis, request.wanted);
    if (!result && !request_handoff(redis, request)) {
      result = find(redis, request, std::nullopt);
    }
    return result;
  });
}

void ClaimClient::poll_owners(RedisConnection& redis) {
  for (std::size_t left = handoffs_.size(); left > 0; --left) {
    PendingHandoff handoff = std::move(handoffs_.front());
    handoffs_.pop_front();
    answer_with(handoff.request, [&]() -> MaybeResult {
      switch (consent(redis, handoff)) {
        case Consent::kGiven:
          return find(redis, handoff.request, handoff.fence);
        case Consent::kRefused:
          return ClaimResult{Status::kRetryLater};
        case Consent::kNotYet:
          handoffs_.push_back(std::move(handoff));
      }
      return std::nullopt;
    });
  }
}

void ClaimClient::abort() {
  for (const ClaimRequest& request : std::exchange(requests_, {})) {
    request.answer({Status::kUnavailable});
  }
  for (const PendingHandoff& handoff : std::exchange(handoffs_, {})) {
    handoff.request.answer({Status::kUnavailable});
  }
}

// Answers the request with the result of `work`, unless this is nullopt: then `work` has moved the
// request away.
template <typename Work>
void ClaimClient::answer_with(ClaimRequest& request, const Work& work) {
  MaybeResult result = ClaimResult{Status::kRetryLater};
  try {
    if (!request.cancelled()) {
      result = work();
    }
  } catch (const RedisRefusal& failure) {
    orphans_.reject(request.wanted.stream, failure.what());
  } catch (...) {
    request.answer({Status::kUnavailable});
    throw;
  }
  if (result) {
    request.answer(*std::move(result));
  }
}

// Asks the owner of the stream for its consent. Returns false if no other live replica owns it.
bool ClaimClient::request_handoff(RedisConnection& redis, ClaimRequest& request) {
  const auto owner = redis_schema::read_owner(redis, request.wanted.stream);
  if (!owner || owner->replica.empty() || owner->replica == health_.options().replica) {
    return false;
  }
  std::optional<std::string> heartbeat = redis_schema::read_heartbeat(redis, owner->replica);
  if (!heartbeat && health_.membership_stable()) {
    return false;
  }
  const std::string wake = redis_schema::key("wake", owner->replica);
  redis.ask({"XADD", wake, "MAXLEN", redis_schema::kWakeUps, "*", "beat", "1"});
  redis.ask({"PEXPIRE", wake, std::to_string(health_.options().retention.count())});
  handoffs_.push_back({std::move(request), owner->replica, owner->fence,
                       std::move(heartbeat).value_or(""), Clock::now() + kHandoffTimeout});
  return true;
}

ClaimClient::Consent ClaimClient::consent(RedisConnection& redis,
                                          const PendingHandoff& handoff) const {
  const protocol::Resume& wanted = handoff.request.wanted;
  const std::optional<std::string> heartbeat = redis_schema::read_heartbeat(redis, handoff.owner);
  const bool given = heartbeat
                         ? *heartbeat != handoff.heartbeat &&
                               redis_schema::parse_heartbeat(*heartbeat).has_all_of(wanted.stream)
                         : health_.membership_stable();  // the owner is dead
  if (given) {
    return Consent::kGiven;
  }
  if (Clock::now() < handoff.until) {
    return Consent::kNotYet;
  }
  // Redis may lack output of an outage that viewers of the owner have, and its sender has not.
  return !health_.just_returned() && covers(redis, wanted) ? Consent::kGiven : Consent::kRefused;
}

// Returns nullopt if the stream is in Redis and the key is right, otherwise the answer.
ClaimClient::MaybeResult ClaimClient::refusal(RedisConnection& redis,
                                              const protocol::Resume& wanted) const {
  const RedisReply first =
      redis.ask({"XRANGE", redis_schema::key("story", wanted.stream), "-", "+", "COUNT", "1"});
  if (first.items.empty()) {
    // If the stream has an owner, the owner is sending the history again.
    const bool owned = redis.ask({"EXISTS", redis_schema::key("owner", wanted.stream)}).number == 1;
    return ClaimResult{owned                         ? Status::kRetryLater
                       : health_.membership_stable() ? Status::kNotFound
                                                     : Status::kUnavailable};
  }
  const redis_schema::Entry begun = redis_schema::parse_entry(first.items.front());
  if (!begun.begins || !same_secret(begun.begins->key, wanted.key)) {
    return ClaimResult{Status::kNotFound};
  }
  if (orphans_.is_rejected(wanted.stream)) {
    return ClaimResult{Status::kRetryLater};
  }
  return std::nullopt;
}

// Claims the stream. Returns the answer, or nullopt if the history must be read before.
ClaimClient::MaybeResult ClaimClient::find(RedisConnection& redis, ClaimRequest& request,
                                           std::optional<Fence> fence) {
  const std::string& stream = request.wanted.stream;
  if (may_be_stale(redis, request, fence)) {
    return ClaimResult{Status::kRetryLater};
  }
  using Result = redis_schema::ClaimReply::Result;
  const BackplaneOptions& options = health_.options();
  const redis_schema::ClaimReply claimed = redis_schema::claim(
      redis,
      {stream, options.replica, fence, options.retention, /*failover=*/false, request.cancelled},
      options.timeout);
  if (claimed.result == Result::kUnknown) {
    return ClaimResult{Status::kRetryLater};  // another replica was faster, or is sending it again
  }
  if (claimed.result == Result::kMine && request.here) {
    return ClaimResult{Status::kOwned, claimed.fence, std::nullopt};
  }
  const bool ended = claimed.result == Result::kEnded;
  if (!ended) {
    orphans_.register_stream(stream);
  }
  PagedHistoryReader reader(stream);
  histories_.add({ended ? Status::kEnded : Status::kOwned, claimed.fence, std::move(reader),
                  std::move(request)});
  return std::nullopt;
}

// Returns true if Redis may have an older state of the stream. If Redis lost its data, an earlier
// owner may have sent its rows before the present owner. A stream that runs here is at least as far
// as the state in Redis.
bool ClaimClient::may_be_stale(RedisConnection& redis, const ClaimRequest& request,
                               std::optional<Fence> fence) const {
  const bool own = request.here && !fence;
  return !own && !health_.membership_stable() && !covers(redis, request.wanted);
}

}  // namespace surtitle
