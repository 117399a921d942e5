// Limits of addresses and tokens, on a simulated clock.
#include <gtest/gtest.h>

#include <stdexcept>

#include "daemon/access/client_limits.h"
#include "daemon/access/client_quota.h"
#include "daemon/access/token_bucket.h"

namespace surtitle {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart = TimePoint() + 1000h;

std::string told(const Result<void>& result) {
  return result ? "none"
                : std::to_string(result.error().retry_after) + " " + result.error().message;
}

TEST(TokenBucket, AllowsABurstOfTenSecondsAndThenItsRate) {
  TokenBucket bucket(2, kStart);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(bucket.consume(1, kStart)) << i;
  }
  EXPECT_FALSE(bucket.consume(1, kStart));
  EXPECT_EQ(bucket.wait(), 1);
  EXPECT_TRUE(bucket.consume(1, kStart + 500ms));
  EXPECT_FALSE(bucket.consume(1, kStart + 500ms));
  EXPECT_TRUE(bucket.full(kStart + 1h));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(bucket.consume(1, kStart + 1h)) << "the burst does not grow, " << i;
  }
  EXPECT_FALSE(bucket.consume(1, kStart + 1h));
}

TEST(TokenBucket, AcceptsALargeAmountAndRecoversAfterwards) {
  TokenBucket bucket(10, kStart);
  EXPECT_TRUE(bucket.consume(1100, kStart));
  EXPECT_EQ(bucket.wait(), 100);
  EXPECT_FALSE(bucket.consume(1, kStart + 100s));
  EXPECT_TRUE(bucket.consume(1, kStart + 101s));
}

TEST(TokenBucket, IsUnlimitedAtZeroAndAcceptsAClockThatStopsOrRunsBack) {
  TokenBucket none(0, kStart);
  EXPECT_TRUE(none.consume(1e12, kStart));
  EXPECT_TRUE(none.consume(1e12, kStart));
  EXPECT_TRUE(none.full(kStart));
  TokenBucket bucket(1, kStart);
  EXPECT_TRUE(bucket.consume(10, kStart));
  EXPECT_FALSE(bucket.consume(1, kStart - 1h));
  EXPECT_FALSE(bucket.consume(1, kStart));
}

TEST(ClientQuota, RejectsAmountsBeyondItsLimits) {
  const QuotaLimits limits{2, 1, 1, 10, 100, 1};
  ClientQuota quota("address", limits, kStart);
  EXPECT_EQ(told(quota.connect()), "none");
  EXPECT_EQ(told(quota.connect()), "none");
  EXPECT_EQ(
      told(quota.connect()),
      "10 An address may have 2 connections at the same time; close one, or try again later.");
  quota.disconnect();
  EXPECT_EQ(told(quota.connect()), "none");
  EXPECT_EQ(told(quota.add_connection_to_stream(false)), "none");
  EXPECT_EQ(told(quota.add_connection_to_stream(false)),
            "10 An address may have 1 stream at the same time; close one, or try again later.");
  quota.remove_connection_to_stream();
  EXPECT_EQ(told(quota.add_connection_to_stream(false)), "none");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(told(quota.charge_connection(kStart)), "none");
  }
  EXPECT_EQ(told(quota.charge_connection(kStart)),
            "1 An address may open connections at 1 a second; try again in 1 s.");
  EXPECT_EQ(told(quota.charge_words(150, kStart)), "none");
  EXPECT_EQ(told(quota.charge_words(1, kStart + 4s)),
            "1 An address may send words at 10 a second; try again in 1 s.");
  EXPECT_EQ(told(quota.charge_bytes(3000, kStart)), "none");
  EXPECT_EQ(told(quota.charge_bytes(1, kStart)),
            "20 An address may send bytes at 100 a second; try again in 20 s.");
  EXPECT_EQ(told(quota.charge_request(kStart)), "none");
  quota.charge_response(131072, kStart);
  EXPECT_EQ(told(quota.charge_request(kStart)), "none");
  quota.charge_response(49152, kStart);
  EXPECT_EQ(told(quota.charge_request(kStart)),
            "3 An address may make requests at 1 a second; try again in 3 s.");
}

TEST(ClientQuota, OfATokenHasNoLimitsByDefault) {
  const QuotaLimits none;
  ClientQuota quota("token", none, kStart);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(told(quota.connect()) + told(quota.add_connection_to_stream(false)) +
                  told(quota.charge_connection(kStart)) + told(quota.charge_words(1000, kStart)) +
                  told(quota.charge_bytes(100000, kStart)),
              "nonenonenonenonenone");
  }
}

TEST(ClientQuota, EndOfALeaseReturnsItsUnit) {
  const QuotaLimits limits{.connections = 1};
  const auto quota = std::make_shared<ClientQuota>("token", limits, kStart);
  {
    EXPECT_EQ(told(quota->connect()), "none");
    Lease lease(quota, &ClientQuota::disconnect);
    Lease moved = std::move(lease);
    EXPECT_NE(told(quota->connect()), "none");
  }
  EXPECT_EQ(told(quota->connect()), "none");
}

TEST(ClientQuotas, AreDroppedOnceTheyAreUnused) {
  ClientQuotas quotas("address", {.connections = 10, .new_connections = 1});
  const auto kept = quotas.of("kept", kStart);
  EXPECT_TRUE(kept->connect());
  for (int i = 0; i < 5000; ++i) {
    EXPECT_TRUE(quotas.of(std::to_string(i), kStart)->charge_connection(kStart));
  }
  EXPECT_EQ(quotas.size(), 5001U) << "recently used quotas are kept";
  for (int i = 0; i < 20000; ++i) {
    const TimePoint later = kStart + 1h + i * 1s;
    EXPECT_TRUE(quotas.of("later " + std::to_string(i), later)->charge_connection(later));
  }
  EXPECT_LT(quotas.size(), 6000U);
  EXPECT_EQ(quotas.of("kept", kStart + 10h), kept);
}

std::string text_of(const std::optional<IpAddress>& address) {
  std::string text;
  for (const unsigned char byte : address ? address->key() : std::string("-")) {
    text += (text.empty() ? "" : ".") + std::to_string(byte);
  }
  return address && address->is_v4() ? text.substr(text.find("255.255.") + 8) : text;
}

TEST(IpAddress, OfBothVersionsHaveComparableKeys) {
  EXPECT_EQ(text_of(parse_address("192.0.2.1")), "192.0.2.1");
  EXPECT_EQ(text_of(parse_address("::ffff:192.0.2.1")), "192.0.2.1");
  EXPECT_EQ(parse_address("2001:db8:1:2::1")->key(), parse_address("2001:db8:1:2:ffff::9")->key())
      << "a /64 network is one customer";
  EXPECT_NE(parse_address("2001:db8:1:2::1")->key(), parse_address("2001:db8:1:3::1")->key());
  for (const char* wrong : {"", "192.0.2", "192.0.2.256", "x", "192.0.2.1 ", "[::1]", "1::2::3"}) {
    EXPECT_FALSE(parse_address(wrong)) << wrong;
  }
}

TEST(IpNetwork, ContainsItsAddresses) {
  const auto holds = [](const char* network, const char* address) {
    return parse_network(network).contains(*parse_address(address));
  };
  EXPECT_TRUE(holds("127.0.0.0/8", "127.255.0.1"));
  EXPECT_FALSE(holds("127.0.0.0/8", "128.0.0.1"));
  EXPECT_TRUE(holds("192.0.2.128/25", "192.0.2.129"));
  EXPECT_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(holds("192.0.2.1", "::ffff:192.0.2.1"));
  EXPECT_FALSE(holds("192.0.2.1", "192.0.2.2"));
  EXPECT_TRUE(holds("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(holds("2001:db8::/32", "2001:db9::1"));
  EXPECT_TRUE(holds("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds("::/0", "8.8.8.8"));
  for (const char* wrong :
       {"", "a", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/8x", "::/129"}) {
    EXPECT_THROW(parse_network(wrong), std::invalid_argument) << wrong;
  }
}

TEST(ClientLimits, TrustsOnlyItsProxies) {
  const ClientLimits limits({{}, {}, {}, parse_networks({"10.0.0.0/8", "::1"})});
  const auto behind = [&](const char* forwarded_for) {
    return text_of(limits.client_behind(*parse_address("10.0.0.1"), forwarded_for));
  };
  EXPECT_TRUE(limits.is_proxy(*parse_address("10.9.9.9")));
  EXPECT_FALSE(limits.is_proxy(*parse_address("11.0.0.1")));
  EXPECT_EQ(behind("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(behind("198.51.100.7, 192.0.2.1"), "192.0.2.1") << "the client's own entry is ignored";
  EXPECT_EQ(behind("198.51.100.7, 192.0.2.1 ,10.2.3.4, 10.0.0.9"), "192.0.2.1");
  EXPECT_EQ(behind("192.0.2.1:4711"), "192.0.2.1");
  EXPECT_EQ(behind("[2001:db8::1]:4711"), text_of(parse_address("2001:db8::1")));
  EXPECT_EQ(behind("2001:db8::1"), text_of(parse_address("2001:db8::1")));
  EXPECT_EQ(behind(""), "10.0.0.1");
  EXPECT_EQ(behind("unknown"), "10.0.0.1");
  EXPECT_EQ(behind("192.0.2.1, nonsense, 10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(behind("10.0.0.5"), "10.0.0.5");
}

TEST(ClientLimits, ExemptAddressesHaveNoLimits) {
  ClientLimits limits({{}, {}, parse_networks({"127.0.0.0/8"}), {}});
  EXPECT_EQ(limits.of_address(*parse_address("127.0.0.2"), kStart), nullptr);
  const auto one = limits.of_address(*parse_address("192.0.2.1"), kStart);
  EXPECT_NE(one, nullptr);
  EXPECT_EQ(one, limits.of_address(*parse_address("192.0.2.1"), kStart));
  EXPECT_NE(one, limits.of_address(*parse_address("192.0.2.2"), kStart));
}

}  // namespace
}  // namespace surtitle
