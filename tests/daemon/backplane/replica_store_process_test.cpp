// What replicas store in Redis: rejected entries, expiry, ownership.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/backplane/replicated_journal_store.h"
#include "tests/daemon/backplane/replica.h"

namespace surtitle {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Makes every append to a stream's history fail.
void spoil(const RedisProcess& redis, const std::string& stream) {
  redis_cli(redis, "DEL surtitle:story:" + stream + " >/dev/null");
  redis_cli(redis, "SET surtitle:story:" + stream + " spoiled >/dev/null");
}

void until_shared(const DaemonProcess& daemon) {
  while (ask_http(daemon.port(), "GET /readyz HTTP/1.1").body !=
         "ready\nthe backplane is available\n") {
  }
}

TEST(SharedHistories, OfAStreamThatLostItsChannelExpire) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  std::optional<Begun> begun = begin(first, start_message("main"));
  const std::string owner = "surtitle:owner:" + begun->resume.stream;
  EXPECT_EQ(say(begun->client, begun->resume, "Eins."), "EINS.");
  redis_cli(redis, "DEL " + owner + " >/dev/null");
  begun.reset();
  TestClient other = begin_in_the_place(second, "main");
  EXPECT_EQ(translate(other, 1, "Zwei."), "ZWEI.");
  EXPECT_GT(std::stoll(redis_cli(redis, "PTTL " + owner)), 0);
}

TEST(SharedHistories, RejectedOneDelaysNoOther) {
  const RedisProcess redis;
  Replica first(redis, {"--log-level", "info"});
  const Replica second(redis);
  Begun spoiled = begin(first, start_message("one"));
  Begun other = begin(first, start_message("main"));
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  spoil(redis, spoiled.resume.stream);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(say(spoiled.client, spoiled.resume, "Eins."), "EINS.");
    EXPECT_EQ(say(other.client, other.resume, "Zwei."), "ZWEI.");
    EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
  }
  first.until("the backplane is available");
  EXPECT_GT(first.metric("surtitle_backplane_behind_entries"), 0);
  // The owner still consents to moving the other streams, but not the spoiled one.
  TestClient client = come_back(second, other.resume);
  client.read_until("ready");
  EXPECT_EQ(say(client, other.resume, "Drei."), "DREI.");
  redis_cli(redis, "DEL surtitle:story:" + spoiled.resume.stream + " >/dev/null");
  while (first.metric("surtitle_backplane_behind_entries") > 0) {
  }
  EXPECT_EQ(second.transcript("one"), "EINS.\nEINS.\nEINS.\n");
  const std::string log = first.end();
  const std::string told = "Stream quarantined: its replication failed";
  EXPECT_THAT(
      log, AllOf(HasSubstr(told), HasSubstr("WRONGTYPE"), Not(HasSubstr("Backplane unavailable"))));
  EXPECT_EQ(log.find(told), log.rfind(told)) << log;
}

// The sender is connected, and silent for longer than Redis keeps a history.
TEST(SharedHistories, OfASilentStreamAreRenewed) {
  const RedisProcess redis;
  const Replica replica(redis, {"--backplane-retention", "0.01"});  // 36 s
  Begun begun = begin(replica, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  std::map<std::string, long> before;  // time left: it falls until it is renewed
  for (const std::string& key :
       std::vector<std::string>{"story:" + begun.resume.stream, "owner:" + begun.resume.stream,
                                "sender:main", "order:main"}) {
    before[key] = std::numeric_limits<long>::max();
  }
  while (!before.empty()) {
    for (auto key = before.begin(); key != before.end();) {
      const long now = std::stol(redis_cli(redis, "PTTL surtitle:" + key->first));
      ASSERT_GT(now, 0) << key->first << " has expired";
      const bool renewed = now > std::exchange(key->second, now);
      key = renewed ? before.erase(key) : std::next(key);
    }
  }
}

TEST(SharedHistories, ThatRedisHasLostAreSentAgain) {
  const RedisProcess redis;
  const Replica first(redis, {"--backplane-retention", "0.01"});
  const Replica second(redis, {"--backplane-retention", "0.01"});
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  redis_cli(redis, "FLUSHALL >/dev/null");
  while (second.transcript("main") != "JA.\n") {
  }
}

TEST(SharedHistories, OfAnUnreadableChannelDelayNoOther) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis, {"--timeouts-idle", "600"});  // no client is cut off meanwhile
  redis_cli(redis, "XADD surtitle:order:bad '*' stream s-1 fence x >/dev/null");
  TestClient bad(second.port(), "/v1/channels/bad");
  bad.read_until("ready");
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "JA.");
}

JournalEntry row(const std::string& stream, std::int64_t at) {
  JournalEntry entry;
  entry.stream = stream;
  entry.row = JournalRow{at, "{}", ""};
  return entry;
}

JournalEntry beginning(const std::string& stream, std::optional<std::string> channel = {}) {
  JournalEntry first = row(stream, 1);
  first.begins = JournaledStream{stream, "key", std::move(channel), 1, "{}"};
  return first;
}

JournalEntry end(const std::string& stream) {
  JournalEntry last;
  last.stream = stream;
  last.ends = true;
  return last;
}

// Returns a journal with the streams s-1 and s-2, of two rows each.
std::unique_ptr<LocalStore> two_streams(const std::string& file) {
  std::unique_ptr<LocalStore> local = open_sqlite_store(file, JournalSync::kNormal);
  for (const char* stream : {"s-1", "s-2"}) {
    local->write(std::vector{beginning(stream), row(stream, 2)});
  }
  return local;
}

// The store of a restarted replica. Its previous process left two streams that it had not sent to
// Redis.
class RestartedStore : public ::testing::Test {
 protected:
  // Returns the number of entries of two streams in Redis.
  std::vector<std::string> entries(const std::string& one, const std::string& other) const {
    return {redis_cli(redis_, "XLEN surtitle:story:" + one),
            redis_cli(redis_, "XLEN surtitle:story:" + other)};
  }

  // Replaces Redis by an empty one.
  void lose_redis() {
    health_.set_unavailable("gone");
    redis_.kill();
    redis_.start();
    health_.set_available();
  }
  std::string owner_of(const std::string& stream) {
    return redis_cli(redis_, "HMGET surtitle:owner:" + stream + " replica fence | paste -sd ' '");
  }

  RedisProcess redis_;
  StateFolder folder_;
  DaemonMetrics metrics_{"", ""};
  RedisHealth health_{
      {.url = parse_redis_url(redis_.url()), .replica = "r-1", .journal_location = "p"}, metrics_};
  std::vector<std::string> lost_;  // with their fences
  std::vector<std::string> confirmed_;
  ContestedStreams contested_;
  std::unique_ptr<ReplicatedJournalStore> store_ = std::make_unique<ReplicatedJournalStore>(
      two_streams(folder_.journal()), health_, contested_,
      ReplicatedJournalStore::Callbacks{
          [this](const std::string& stream, Fence fence, bool failed_over) {
            lost_.push_back(named(stream, fence) + (failed_over ? " failed over" : ""));
          },
          [this](const std::string& stream, Fence fence) {
            confirmed_.push_back(named(stream, fence));
          },
          [](const std::string&) {}});
  static std::string named(const std::string& stream, Fence fence) {
    return stream + " " + std::to_string(fence.value());
  }
};

// Output is in Redis before it is shown, in case this process dies at once.
TEST_F(RestartedStore, SendsEntriesOfThePreviousProcessBeforeTheyAreShown) {
  EXPECT_EQ(store_->load_recoverable(0, 0).summaries.size(), 2U);
  EXPECT_THAT(entries("s-1", "s-2"), ElementsAre("2", "2"));
  EXPECT_EQ(redis_cli(redis_, "GET surtitle:replica:r-1"), "p:0 0") << "others wait meanwhile";
  store_->write(std::vector{row("s-1", 3)});
  EXPECT_THAT(entries("s-1", "s-2"), ElementsAre("3", "2"))
      << "no check has found Redis available since";
  EXPECT_TRUE(health_.caught_up());
}

TEST_F(RestartedStore, SendsThemOnceRedisIsAvailable) {
  redis_.signal(SIGSTOP);
  EXPECT_EQ(store_->load_recoverable(0, 0).summaries.size(), 2U);
  redis_.signal(SIGCONT);
  EXPECT_THAT(entries("s-1", "s-2"), ElementsAre("0", "0"));
  health_.set_available();
  store_->run_maintenance();
  store_->write(std::vector{row("s-2", 3)});
  EXPECT_THAT(entries("s-1", "s-2"), ElementsAre("2", "3"));
}

// While models are loaded, the replica sends no heartbeat.
TEST_F(RestartedStore, ReportsStreamsThatMovedMeanwhile) {
  store_->load_recoverable(0, 0);
  redis_cli(redis_, "HSET surtitle:owner:s-2 replica r-2 fence 2 >/dev/null");
  health_.set_available();
  store_->run_maintenance();
  EXPECT_THAT(lost_, ElementsAre("s-2 1"));
}

// A stream that returned here meanwhile has a later fence, which separates it from the lost one.
TEST_F(RestartedStore, ReportsTheFenceUnderWhichAStreamWasLost) {
  store_->load_recoverable(0, 0);
  redis_cli(redis_, "HSET surtitle:owner:s-2 replica r-1 fence 5 >/dev/null");
  health_.set_available();
  store_->run_maintenance();
  EXPECT_THAT(lost_, ElementsAre("s-2 1"));
}

// Redis executed a claim of r-2, whose reply was lost, and a sender then returned here.
TEST_F(RestartedStore, ClaimsAContestedStreamBackFromAReplicaThatHasWrittenNothing) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-2 fence 2 from r-1 had 1 >/dev/null");
  contested_.add("s-3");
  store_->write(std::vector{row("s-3", 2)});
  EXPECT_EQ(owner_of("s-3"), "r-1 3");
  EXPECT_EQ(redis_cli(redis_, "HGET surtitle:sender:main replica"), "r-1");
  EXPECT_THAT(confirmed_, ElementsAre("s-3 3"));
  contested_.remove("s-3");
  store_->write(std::vector{row("s-3", 3)});
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("3", "0"));
  EXPECT_THAT(lost_, IsEmpty());
}

// Its sender may have continued on r-2.
TEST_F(RestartedStore, LeavesAContestedStreamToTheOtherReplicaIfNoneHasWritten) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-2 fence 2 from r-1 had 1 >/dev/null");
  contested_.add("s-3");
  store_->run_maintenance();
  EXPECT_EQ(owner_of("s-3"), "r-2 2");
  EXPECT_THAT(lost_, ElementsAre("s-3 1 failed over"));
}

// The append that claimed it back had no reply either.
TEST_F(RestartedStore, KeepsAContestedStreamThatItHasClaimedBackWithoutAReply) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-1 fence 3 >/dev/null");
  contested_.add("s-3");
  store_->write(std::vector{row("s-3", 2)});
  store_->run_maintenance();
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("2", "0"));
  EXPECT_THAT(confirmed_, Each("s-3 3"));
  EXPECT_THAT(lost_, IsEmpty());
}

TEST_F(RestartedStore, LeavesAContestedStreamToAReplicaThatHasContinuedIt) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-2 fence 2 from r-1 had 0 >/dev/null");
  contested_.add("s-3");
  store_->write(std::vector{row("s-3", 2)});
  EXPECT_EQ(owner_of("s-3"), "r-2 2");
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("1", "0"));
  EXPECT_THAT(lost_, ElementsAre("s-3 1 failed over")) << "its sender may continue there";
  EXPECT_THAT(confirmed_, IsEmpty());
}

// The new owner may not have read the stream yet. If it has, its fence is later.
TEST_F(RestartedStore, SendsStreamsThatJustMovedToARedisThatLostThem) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-2 fence 2 >/dev/null");
  store_->write(std::vector{row("s-3", 2)});
  EXPECT_THAT(lost_, ElementsAre("s-3 1"));
  lose_redis();
  store_->run_maintenance();
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("2", "0"));
  EXPECT_EQ(owner_of("s-3"), "r-1 1");
  lose_redis();
  redis_cli(redis_, "HSET surtitle:owner:s-3 replica r-2 fence 2 >/dev/null");
  store_->run_maintenance();
  EXPECT_EQ(owner_of("s-3"), "r-2 2");
  lose_redis();
  store_->run_maintenance();
  EXPECT_EQ(owner_of("s-3"), "r-1 1") << "the stream has its previous fence";
  EXPECT_THAT(lost_, ElementsAre("s-3 1")) << "the loss is reported once";
}

// A stream that gets a channel ends the previous one in Redis, and entries of that one would be
// rejected from then on.
TEST_F(RestartedStore, SendsMissingEntriesBeforeTheNextStreamOfTheChannel) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("1", "0"));
  redis_.signal(SIGSTOP);
  store_->write(std::vector{row("s-3", 2)});
  redis_.signal(SIGCONT);
  health_.set_available();
  store_->write(std::vector{end("s-3"), beginning("s-4", "main")});
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre(_, "0"));
  store_->run_maintenance();
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("3", "1"));
  store_->write(std::vector{row("s-4", 2)});
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("3", "2"));
  EXPECT_THAT(lost_, IsEmpty());
}

TEST_F(RestartedStore, SendsTheEndOfOneStreamWithTheBeginningOfTheNext) {
  health_.set_available();
  store_->write(std::vector{beginning("s-3", "main")});
  store_->write(std::vector{end("s-3"), beginning("s-4", "main")});
  EXPECT_THAT(entries("s-3", "s-4"), ElementsAre("2", "1"));
  EXPECT_THAT(lost_, IsEmpty());
}

// Others adopt its streams then, as those of any replica that ends.
TEST_F(RestartedStore, RemovesItsHeartbeatIfItEndsDuringTheStart) {
  store_->load_recoverable(0, 0);
  EXPECT_EQ(redis_cli(redis_, "EXISTS surtitle:replica:r-1"), "1");
  store_.reset();
  EXPECT_EQ(redis_cli(redis_, "EXISTS surtitle:replica:r-1"), "0");
}

// More entries than are read and sent at once. A second viewer connects while half of them are
// read.
TEST(SharedHistories, AreReadInFullWhateverTheirLength) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  std::string said;
  for (int i = 0; i < 1500; ++i) {
    EXPECT_EQ(say(begun.client, begun.resume, "Wort."), "WORT.");
    said += "WORT.\n";
  }
  TestClient one = watch(second, "?after=" + begun.resume.stream + ":0");
  TestClient two = watch(second, "?after=" + begun.resume.stream + ":0");
  EXPECT_EQ(second.transcript("main"), said);
  TestClient client = come_back(second, begun.resume);
  client.read_until("ready");
  EXPECT_EQ(say(client, begun.resume, "Ende."), "ENDE.");
  EXPECT_EQ(second.transcript("main"), said + "ENDE.\n");
}

TEST(ReplicaIdentity, OfACopiedJournalIsReplaced) {
  const RedisProcess redis;
  const Replica first(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Eins."), "EINS.");
  const StateFolder copy;
  for (const char* part : {"", "-wal"}) {
    std::filesystem::copy_file(first.journal() + part, copy.journal() + part);
  }
  DaemonProcess second(
      {"--backplane-url", redis.url(), "--journal-path", copy.journal(), "--log-level", "info"});
  EXPECT_EQ(metric(second.port(), "surtitle_streams"), 0);
  EXPECT_EQ(redis_cli(redis, "HGET surtitle:open " + begun.resume.stream),
            owner_of(redis, begun.resume.stream));
  EXPECT_EQ(translate(begun.client, 2, "Zwei."), "ZWEI.");
  until_shared(second);
  Begun other = begin_stream(second.port(), start_message("other"));
  EXPECT_NE(owner_of(redis, other.resume.stream), "");
  EXPECT_NE(owner_of(redis, other.resume.stream), owner_of(redis, begun.resume.stream));
  second.signal(SIGTERM);
  EXPECT_THAT(second.wait().err, HasSubstr("Journal is a copy of a live replica's journal"));
}

TEST(ReplicaIdentity, SurvivesARestart) {
  const RedisProcess redis;
  Replica replica(redis);
  const std::string identity = redis_cli(redis, "--raw KEYS 'surtitle:replica:*'");
  replica.kill();
  replica.start();
  replica.until("the backplane is available");
  Begun begun = begin(replica, start_message("main"));
  EXPECT_EQ("surtitle:replica:" + owner_of(redis, begun.resume.stream), identity);
}

TEST(RedisLogin, MayBeOfAUserWithoutAPassword) {
  const RedisProcess redis(
      {"--user", "default", "off", "--user", "hall", "on", "nopass", "~*", "+@all"});
  const DaemonProcess daemon(
      {"--backplane-url", "redis://hall:@127.0.0.1:" + std::to_string(redis.port())});
  until_shared(daemon);
}

}  // namespace
}  // namespace surtitle
