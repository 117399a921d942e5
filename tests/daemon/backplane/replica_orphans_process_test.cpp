// Streams of dead replicas, and the replicas that adopt them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/daemon/backplane/replica.h"
#include "tests/daemon/support/journal_lock.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

// Starts a stream and sends half a sentence.
Begun begin_half(const Replica& replica, const std::string& channel) {
  Begun begun = begin(replica, start_message(channel, "full-sentence"));
  send(begun.client, protocol::Source{1, "ein halber Satz", {}});
  begun.client.read_until("ack");
  return begun;
}

// The replica had claimed the stream in Redis, and not stored it in its file.
TEST(Orphans, ContinueAfterAReplicaDiesWhileItClaimsThem) {
  const RedisProcess redis;
  Replica first(redis, {"--sentence-silence", "0"});
  Replica second(redis, {"--sentence-silence", "0", "--resume-timeout", "0.05"});
  const Begun begun = begin_half(first, "main");
  const std::string owner = owner_of(redis, begun.resume.stream);
  {
    const JournalLock lock(second.journal());
    first.kill();
    while (owner_of(redis, begun.resume.stream) == owner) {
    }
    second.kill();
  }
  second.start();
  while (second.transcript("main") != "EIN HALBER SATZ\n") {
  }
}

// A replica adopts no more than it has places for; others adopt the rest.
TEST(Orphans, AreLeftToOthersByAFullReplica) {
  const RedisProcess redis;
  Replica first(redis);
  const Replica small(redis, {"--limits-streams", "2"});
  std::vector<Begun> begun;
  for (int i = 0; i < 6; ++i) {
    begun.push_back(begin_half(first, "room-" + std::to_string(i)));
  }
  first.kill();
  while (small.taken() < 2) {
  }
  const Replica large(redis);
  while (small.taken() + large.taken() < 6) {
  }
  EXPECT_EQ(small.taken(), 2);
  for (Begun& one : begun) {
    one.resume.seq = 1;
  }
  for (const Begun& one : begun) {  // each is complete on some replica
    TestClient client = come_back(large, one.resume);
    client.read_until("ready");
    send(client, protocol::Finish{});
    EXPECT_EQ(next(client, "sentence", "target"), "EIN HALBER SATZ");
  }
}

// If all replicas are full, orphans wait for a place and are not lost.
TEST(Orphans, WaitForAPlace) {
  const RedisProcess redis;
  Replica first(redis, {"--sentence-silence", "0"});
  const Replica small(
      redis, {"--sentence-silence", "0", "--limits-streams", "1", "--resume-timeout", "0.05"});
  for (int i = 0; i < 3; ++i) {
    begin_half(first, "room-" + std::to_string(i));
  }
  first.kill();
  for (int i = 0; i < 3; ++i) {
    while (small.transcript("room-" + std::to_string(i)) != "EIN HALBER SATZ\n") {
    }
  }
}

// Here the replica lacks their model. The same holds for lines of another version.
TEST(Orphans, AreLeftToOthersByAReplicaThatCannotContinueThem) {
  const RedisProcess redis;
  Replica first(redis, {"--models", "de-en-one"});
  Replica other(redis, {"--models", "de-en-two", "--log-level", "info"});
  const Begun begun = begin_half(first, "main");
  const std::string owner = owner_of(redis, begun.resume.stream);
  first.kill();
  while (owner_of(redis, begun.resume.stream) != "") {  // until it was claimed and unclaimed
  }
  TestClient asks = come_back(other, begun.resume);
  EXPECT_EQ(how_it_ends(asks), "- - 1013") << "the sender is asked to retry";
  const Replica like_it(redis, {"--models", "de-en-one"});
  while (like_it.taken() == 0) {
  }
  TestClient client = come_back(like_it, begun.resume);
  client.read_until("ready");
  send(client, protocol::Finish{});
  EXPECT_EQ(next(client, "sentence", "target"), "EIN HALBER SATZ");
  const std::string log = other.end();
  const std::string told = "Stream adoption failed; another replica may adopt the stream";
  EXPECT_THAT(log, HasSubstr(told));
  EXPECT_EQ(log.find(told), log.rfind(told)) << log;
}

TEST(Orphans, ThatCannotBeReadDelayNoClient) {
  const RedisProcess redis;
  const Replica replica(redis);
  redis_cli(redis, "XADD surtitle:story:s-0 1-0 a x i y l z >/dev/null");
  redis_cli(redis, "HSET surtitle:owner:s-0 replica absent fence 1 swept 0 >/dev/null");
  redis_cli(redis, "HSET surtitle:open s-0 absent >/dev/null");
  while (owner_of(redis, "s-0") != "") {
  }
  Begun begun = begin(replica, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  replica.until("the backplane is available");
}

}  // namespace
}  // namespace surtitle
