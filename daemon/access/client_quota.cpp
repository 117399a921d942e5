#include "daemon/access/client_quota.h"

#include <sstream>

#include "daemon/base/text.h"

namespace surtitle {
namespace {

constexpr int kTooMany = 429;
constexpr int kTryLater = 10;  // seconds

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string article(const std::string& noun) { return (noun == "address" ? "An " : "A ") + noun; }

}  // namespace

RequestError ClientQuota::too_many(int most, const std::string& what) const {
  return {kTooMany,
          article(whose_) + " may have " + counted(static_cast<std::size_t>(most), what) +
              " at the same time; close one, or try again later.",
          kTryLater};
}

Result<void> ClientQuota::charge(TokenBucket& bucket, double amount, const std::string& what,
                                 TimePoint now) const {
  if (bucket.consume(amount, now)) {
    return {};
  }
  return RequestError(kTooMany,
                      article(whose_) + " may " + what + " at " + number(bucket.rate()) +
                          " a second; try again in " + std::to_string(bucket.wait()) + " s.",
                      bucket.wait());
}

Result<void> ClientQuota::charge_connection(TimePoint now) {
  return charge(new_connections_, 1, "open connections", now);
}

Result<void> ClientQuota::connect() {
  if (limits_.connections > 0 && connections_ >= limits_.connections) {
    return too_many(limits_.connections, "connection");
  }
  ++connections_;
  return {};
}

Result<void> ClientQuota::add_connection_to_stream(bool may_resume) {
  const int most = limits_.streams;
  if (most > 0 && streams_ - (may_resume ? most : 0) >= most) {
    return too_many(most, "stream");
  }
  ++streams_;
  return {};
}

Result<void> ClientQuota::check_new_stream(int displaced) const {
  if (limits_.streams > 0 && streams_ + detached_ - displaced > limits_.streams) {
    return too_many(limits_.streams, "stream");
  }
  return {};
}

Result<void> ClientQuota::charge_words(int words, TimePoint now) {
  return charge(words_, words, "send words", now);
}

Result<void> ClientQuota::charge_bytes(std::size_t bytes, TimePoint now) {
  return charge(bytes_, static_cast<double>(bytes), "send bytes", now);
}

Result<void> ClientQuota::charge_request(TimePoint now) {
  return charge(requests_, 1, "make requests", now);
}

void ClientQuota::charge_response(std::size_t bytes, TimePoint now) {
  requests_.charge(static_cast<double>(bytes) / kAnswerBytes, now);
}

std::shared_ptr<ClientQuota> ClientQuotas::of(const std::string& key, TimePoint now) {
  const auto known = quotas_.find(key);
  if (known != quotas_.end()) {
    return known->second;
  }
  if (quotas_.size() >= sweep_at_) {
    drop_idle(now);
  }
  return quotas_[key] = std::make_shared<ClientQuota>(whose_, limits_, now);
}

// Doubling the size of the next sweep makes its cost amortised.
void ClientQuotas::drop_idle(TimePoint now) {
  constexpr std::size_t kMin = 1024;
  std::erase_if(quotas_, [&](const auto& entry) {
    return entry.second.use_count() == 1 && entry.second->idle(now);
  });
  sweep_at_ = std::max(kMin, 2 * quotas_.size());
}

}  // namespace surtitle
