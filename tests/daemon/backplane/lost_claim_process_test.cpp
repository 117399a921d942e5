// Redis executes the claim of a stream and stops before its reply: the replica that claimed does
// not know that it owns the stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "daemon/backplane/redis_schema.h"
#include "tests/daemon/backplane/replica.h"

namespace surtitle {
namespace {

using ::testing::IsEmpty;

// Returns the identity of the replica that does not own the stream, of two.
std::string other_than_owner(const RedisProcess& redis, const std::string& stream) {
  const std::string owner = owner_of(redis, stream);
  std::istringstream keys(redis_cli(redis, "--raw KEYS 'surtitle:replica:*'"));
  for (std::string key; std::getline(keys, key);) {
    std::string replica = key.substr(key.rfind(':') + 1);
    if (replica != owner) {
      return replica;
    }
  }
  throw std::runtime_error("there is one replica");
}

// Claims the stream for the replica, and stops Redis before the reply and before the notice to the
// owner: the claim is in one transaction with a long script. Returns the connection.
std::unique_ptr<RedisConnection> claim_and_stop(const RedisProcess& redis, const Replica& owner,
                                                const std::string& stream,
                                                const std::string& replica) {
  auto connection = std::make_unique<RedisConnection>(parse_redis_url(redis.url()),
                                                      std::chrono::milliseconds(250));
  redis_schema::load_scripts(*connection);
  const auto until = std::chrono::system_clock::now().time_since_epoch() + std::chrono::hours(1);
  connection->ask({"MULTI"});
  connection->ask(redis_schema::claim_command(
      {.stream = stream, .replica = replica, .retention = std::chrono::hours(1)},
      std::chrono::duration_cast<std::chrono::microseconds>(until)));
  connection->ask({"EVAL", "for i = 1, 5e8 do end", "0"});
  EXPECT_THROW(connection->ask({"EXEC"}), RedisError);
  redis.signal(SIGSTOP);
  while (owner.metric("surtitle_backplane_up") == 1) {
  }
  return connection;
}

// Two replicas, and a stream of the first that the second has claimed without knowing it. Redis is
// stopped.
class LostClaim : public ::testing::Test {
 protected:
  LostClaim() {
    EXPECT_EQ(say(begun_.client, begun_.resume, "Eins."), "EINS.");
    EXPECT_EQ(next(viewer_, "sentence", "target"), "EINS.");
    owner_ = owner_of(redis_, stream_);
    claimer_ = other_than_owner(redis_, stream_);
    claim_ = claim_and_stop(redis_, first_, stream_, claimer_);
  }

  // The sender returns to the first replica.
  TestClient come_back_to_first() {
    TestClient client = come_back(first_, begun_.resume);
    EXPECT_THAT(client.read_until("ready").at("warnings").as_array(), IsEmpty());
    return client;
  }
  void until_first_has_caught_up() const {
    while (owner_of(redis_, stream_) != owner_ ||
           first_.metric("surtitle_backplane_behind_entries") > 0) {
    }
  }

  RedisProcess redis_{{"--lua-time-limit", "600000"}};
  Replica first_{redis_};
  Replica second_{redis_};
  TestClient viewer_ = watch(second_);
  Begun begun_ = begin(first_, start_message("main"));
  const std::string stream_ = begun_.resume.stream;
  std::string owner_;
  std::string claimer_;
  std::unique_ptr<RedisConnection> claim_;
};

TEST_F(LostClaim, StreamContinuesWithAllWordsOnTheReplicaToWhichItsSenderReturned) {
  TestClient client = come_back_to_first();
  EXPECT_EQ(say(client, begun_.resume, "Zwei."), "ZWEI.");
  redis_.signal(SIGCONT);
  until_first_has_caught_up();
  EXPECT_EQ(say(client, begun_.resume, "Drei."), "DREI.");
  EXPECT_EQ(next(viewer_, "sentence", "target"), "ZWEI.");
  EXPECT_EQ(next(viewer_, "sentence", "target"), "DREI.");

  // The stream can move as before.
  boost::json::object ready;
  TestClient elsewhere = come_back_with_retries(second_, begun_.resume, ready);
  EXPECT_THAT(ready.at("warnings").as_array(), IsEmpty());
  EXPECT_EQ(say(elsewhere, begun_.resume, "Vier."), "VIER.");
  EXPECT_EQ(owner_of(redis_, stream_), claimer_);
  EXPECT_EQ(second_.transcript("main"), "EINS.\nZWEI.\nDREI.\nVIER.\n");
}

TEST_F(LostClaim, StreamThatEndsBeforeRedisAnswersHasAllWordsEverywhere) {
  TestClient client = come_back_to_first();
  EXPECT_EQ(say(client, begun_.resume, "Zwei."), "ZWEI.");
  send(client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(client), "- finished 1000");
  redis_.signal(SIGCONT);
  EXPECT_EQ(next(viewer_, "sentence", "target"), "ZWEI.");
  viewer_.read_until("state");
  EXPECT_EQ(second_.transcript("main"), "EINS.\nZWEI.\n");
}

// The sender leaves again: others may have its channel.
TEST_F(LostClaim, DetachedStreamIsDetachedInRedis) {
  {
    TestClient client = come_back_to_first();
    EXPECT_EQ(say(client, begun_.resume, "Zwei."), "ZWEI.");
  }
  redis_.signal(SIGCONT);
  until_first_has_caught_up();
  std::string away = "0";
  while (away == "0") {
    away = redis_cli(redis_, "HGET surtitle:sender:main away");
  }
  EXPECT_EQ(away, "1");
}

}  // namespace
}  // namespace surtitle
