// The quota of one address or one token: its limits and its current use.
//
// Thread-safety: none; the network thread owns it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/access/request_error.h"
#include "daemon/access/token_bucket.h"

namespace surtitle {

// Limits of one address or one token; 0: no limit. Rates are averages, see TokenBucket.
struct QuotaLimits {
  int connections = 0;         // open at the same time
  double new_connections = 0;  // per second
  int streams = 0;             // open at the same time
  double words = 0;            // source words per second
  double bytes = 0;            // bytes per second, from the client
  double requests = 0;         // HTTP requests per second; each 16 KiB of a response count as one
};

class ClientQuota {
 public:
  // `whose`: "address" or "token", for messages. REQUIRES: `limits` outlives this.
  ClientQuota(std::string whose, const QuotaLimits& limits, TimePoint now)
      : whose_(std::move(whose)),
        limits_(limits),
        new_connections_(limits.new_connections, now),
        words_(limits.words, now),
        bytes_(limits.bytes, now),
        requests_(limits.requests, now) {}

  // These functions charge the quota, or return an error and charge nothing.
  //
  // charge_connection() charges the rate of new connections, connect() the number of open ones.
  Result<void> charge_connection(TimePoint now);
  Result<void> connect();
  // Counts a connection to /v1/stream, or a request that is a stream. `may_resume`: the connection
  // may resume a stream, whose old connection may still be counted; twice the limit is allowed
  // then.
  Result<void> add_connection_to_stream(bool may_resume);
  // Checks the limit when `start` begins a new stream on a connection of
  // add_connection_to_stream(). Charges nothing. Detached streams count, too. `displaced`: the
  // number of detached streams of this client that the new stream displaces.
  Result<void> check_new_stream(int displaced) const;
  Result<void> charge_words(int words, TimePoint now);
  Result<void> charge_bytes(std::size_t bytes, TimePoint now);
  Result<void> charge_request(TimePoint now);

  // Charges the size of a response as further requests.
  void charge_response(std::size_t bytes, TimePoint now);
  void disconnect() { --connections_; }
  void remove_connection_to_stream() { --streams_; }
  void add_detached() { ++detached_; }
  void remove_detached() { --detached_; }

  // Counts a connection whose only response is an error. Returns false, and does not count it, if
  // there are kMaxRefusals already.
  bool begin_refusal() {
    if (refusals_ >= kMaxRefusals) {
      return false;
    }
    ++refusals_;
    return true;
  }
  void end_refusal() { --refusals_; }

  // Whether nothing is used, so that the quota equals a new one.
  bool idle(TimePoint now) {
    return connections_ == 0 && streams_ == 0 && detached_ == 0 && refusals_ == 0 &&
           new_connections_.full(now) && words_.full(now) && bytes_.full(now) &&
           requests_.full(now);
  }

 private:
  static constexpr int kMaxRefusals = 16;
  static constexpr double kAnswerBytes = 16384;  // bytes of a response that count as one request

  RequestError too_many(int most, const std::string& what) const;
  Result<void> charge(TokenBucket& bucket, double amount, const std::string& what,
                      TimePoint now) const;

  const std::string whose_;
  const QuotaLimits& limits_;
  TokenBucket new_connections_;
  TokenBucket words_;
  TokenBucket bytes_;
  TokenBucket requests_;
  int connections_ = 0;
  int streams_ = 0;
  int detached_ = 0;  // streams
  int refusals_ = 0;
};

// One unit of a quota that is held. The destructor gives it back.
class Lease {
 public:
  Lease() = default;
  Lease(std::shared_ptr<ClientQuota> quota, void (ClientQuota::*give_back)())
      : quota_(std::move(quota)), give_back_(give_back) {}
  Lease(Lease&& other) noexcept : quota_(std::move(other.quota_)), give_back_(other.give_back_) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(quota_, other.quota_);
    std::swap(give_back_, other.give_back_);
    return *this;
  }
  bool is_of(const ClientQuota& quota) const noexcept { return quota_.get() == &quota; }
  ~Lease() {
    if (quota_) {
      ((*quota_).*give_back_)();
    }
  }

 private:
  std::shared_ptr<ClientQuota> quota_;
  void (ClientQuota::*give_back_)() = nullptr;
};

// The quotas of all addresses, or of all tokens. Idle quotas are dropped.
class ClientQuotas {
 public:
  ClientQuotas(std::string whose, QuotaLimits limits) : whose_(std::move(whose)), limits_(limits) {}

  // Returns the quota of the key, which is made if there is none.
  std::shared_ptr<ClientQuota> of(const std::string& key, TimePoint now);
  std::size_t size() const noexcept { return quotas_.size(); }

 private:
  void drop_idle(TimePoint now);

  const std::string whose_;
  const QuotaLimits limits_;
  std::map<std::string, std::shared_ptr<ClientQuota>> quotas_;
  std::size_t sweep_at_ = 1024;  // number of quotas at which the idle ones are dropped
};

}  // namespace surtitle
