// What one address, or one token, uses at the moment and has used lately, held against its limits.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/access/access_control.h"
#include "daemon/access/token_bucket.h"

namespace surtitle {

// Of one address, or of one token; 0: no limit.
struct AccountLimits {
  int connections = 0;         // at the same time
  double new_connections = 0;  // a second; see TokenBucket
  int streams = 0;             // at the same time
  double words = 0;            // of the source, a second
  double bytes = 0;            // from the client, a second
  double requests = 0;         // of HTTP, a second; an answer counts as one for each 16 KiB
};

class Account {
 public:
  // `whose`: "address" or "token", for sentences. `limits` outlives it.
  Account(std::string whose, const AccountLimits& limits, TimePoint now)
      : whose_(std::move(whose)),
        limits_(limits),
        arrivals_(limits.new_connections, now),
        words_(limits.words, now),
        bytes_(limits.bytes, now),
        requests_(limits.requests, now) {}

  // Each takes what it names; or says why not, and takes nothing.
  std::optional<Refusal> arrive(TimePoint now);
  std::optional<Refusal> connect();
  // `may_resume`: it has not said yet whether it begins a stream or comes back to one, whose old
  // connection may seem to be there still. As many may come back as may be there.
  std::optional<Refusal> open_stream(bool may_resume);
  // Of an open stream that begins, not resumes: those that wait for their sender count, too.
  // `made_room`: those of the latter that it takes the place of.
  std::optional<Refusal> begin_stream(int made_room) const;
  std::optional<Refusal> take_words(int words, TimePoint now);
  std::optional<Refusal> take_bytes(std::size_t bytes, TimePoint now);
  std::optional<Refusal> take_request(TimePoint now);

  // The answer to a request has so many bytes, which count as further ones.
  void answered(std::size_t bytes, TimePoint now);
  void disconnect() { --connections_; }
  void close_stream() { --streams_; }
  void wait_for_sender() { ++waiting_; }
  void wait_no_more() { --waiting_; }

  // One more that is only told to go; false where enough are told already.
  bool tell() { return telling_ < kMostTold && ++telling_ > 0; }
  void told() { --telling_; }

  // Whether forgetting it gives nothing away.
  bool idle(TimePoint now) {
    return connections_ == 0 && streams_ == 0 && waiting_ == 0 && telling_ == 0 &&
           arrivals_.full(now) && words_.full(now) && bytes_.full(now) && requests_.full(now);
  }

 private:
  static constexpr int kMostTold = 16;
  static constexpr double kAnswerBytes = 16384;  // that count as one request

  Refusal too_many(int most, const std::string& what) const;
  Refusal too_fast(const TokenBucket& bucket, const std::string& what) const;

  const std::string whose_;
  const AccountLimits& limits_;
  TokenBucket arrivals_;
  TokenBucket words_;
  TokenBucket bytes_;
  TokenBucket requests_;
  int connections_ = 0;
  int streams_ = 0;
  int waiting_ = 0;  // streams that were cut off
  int telling_ = 0;
};

// Gives back on its end what an account gave.
class Lease {
 public:
  Lease() = default;
  Lease(std::shared_ptr<Account> account, void (Account::*give_back)())
      : account_(std::move(account)), give_back_(give_back) {}
  Lease(Lease&& other) noexcept
      : account_(std::move(other.account_)), give_back_(other.give_back_) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(give_back_, other.give_back_);
    return *this;
  }
  bool is_of(const Account& account) const noexcept { return account_.get() == &account; }
  ~Lease() {
    if (account_) {
      ((*account_).*give_back_)();
    }
  }

 private:
  std::shared_ptr<Account> account_;
  void (Account::*give_back_)() = nullptr;
};

// The accounts of all addresses, or of all tokens. Those that are idle are forgotten.
class Accounts {
 public:
  Accounts(std::string whose, AccountLimits limits) : whose_(std::move(whose)), limits_(limits) {}

  std::shared_ptr<Account> of(const std::string& key, TimePoint now);
  std::size_t size() const noexcept { return accounts_.size(); }

 private:
  void forget_idle(TimePoint now);

  const std::string whose_;
  const AccountLimits limits_;
  std::map<std::string, std::shared_ptr<Account>> accounts_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace surtitle
