// Redis is unavailable or loses its data: what replicas, senders and viewers do meanwhile and
// afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/daemon/backplane/replica.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(RedisUnavailable, LocalClientsContinueAndOthersCatchUp) {
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed ? "killed, and empty afterwards" : "it does not answer");
    RedisProcess redis;
    const Replica first(redis);
    const Replica second(redis);
    TestClient here = watch(first);
    TestClient there = watch(second);
    here.read_until("ready");
    there.read_until("ready");
    Begun begun = begin(first, start_message("main"));
    EXPECT_EQ(translate(begun.client, 1, "Eins."), "EINS.");
    EXPECT_EQ(next(here, "sentence", "target"), "EINS.");
    EXPECT_EQ(next(there, "sentence", "target"), "EINS.");

    killed ? redis.kill() : redis.signal(SIGSTOP);
    EXPECT_EQ(translate(begun.client, 2, "Zwei."), "ZWEI.");
    EXPECT_EQ(next(here, "sentence", "target"), "ZWEI.");
    first.until("the backplane is unavailable");
    EXPECT_EQ(ask_http(first.port(), "GET /readyz HTTP/1.1").status, 200);
    EXPECT_EQ(first.metric("surtitle_backplane_up"), 0);
    while (first.metric("surtitle_backplane_behind_entries") == 0) {
    }
    TestClient meanwhile = watch(first);
    EXPECT_EQ(next(meanwhile, "sentence", "target"), "EINS.");
    Begun another = begin(first, start_message("other"));
    EXPECT_EQ(translate(another.client, 1, "Auch."), "AUCH.");
    second.until("the backplane is unavailable");
    TestClient lost = come_back(second, begun.resume);
    EXPECT_EQ(how_it_ends(lost), "- - 1013") << "the sender is asked to retry";

    killed ? redis.start() : redis.signal(SIGCONT);
    EXPECT_EQ(translate(begun.client, 3, "Drei."), "DREI.");
    EXPECT_EQ(next(there, "sentence", "target"), "ZWEI.");
    EXPECT_EQ(next(there, "sentence", "target"), "DREI.");
    while (first.metric("surtitle_backplane_behind_entries") > 0) {
    }
    while (second.transcript("other") != "AUCH.\n") {
    }
    EXPECT_EQ(first.metric("surtitle_backplane_up"), 1);
    EXPECT_GT(first.metric("surtitle_backplane_backlog_entries_total"), 0);
  }
}

TEST(RedisUnavailable, ViewerOfAnUnknownStreamIsAskedToRetry) {
  const DaemonProcess daemon({"--backplane-url", "redis://127.0.0.1:1"});
  std::vector<TestClient> viewers;
  for (int i = 0; i < 12; ++i) {
    viewers.emplace_back(daemon.port(),
                         "/v1/channels/room-" + std::to_string(i) + "?after=s-0123abcd:5");
  }
  for (TestClient& viewer : viewers) {
    EXPECT_EQ(how_it_ends(viewer), "- - 1013");
  }
  TestClient client = start_stream(daemon.port(), "room-1");
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
}

// A stream that moved is never continued from an older state, even while Redis cannot report the
// move.
TEST(RedisUnavailable, SenderOfAnOldCopyIsAskedToRetry) {
  RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  TestClient elsewhere = come_back(second, begun.resume);
  elsewhere.read_until("ready");
  EXPECT_EQ(say(elsewhere, begun.resume, "Zwei."), "ZWEI.");
  redis.kill();
  while (first.metric("surtitle_backplane_up") == 1) {
  }
  TestClient old = come_back(first, begun.resume);
  EXPECT_FALSE(old.read());
  EXPECT_EQ(old.close_code(), 1013);
  redis.start();
  boost::json::object ready;
  TestClient client = come_back_with_retries(first, begun.resume, ready);
  EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), 2);
  EXPECT_THAT(ready.at("warnings").as_array(), IsEmpty());
  EXPECT_EQ(say(client, begun.resume, "Drei."), "DREI.");
  EXPECT_EQ(first.transcript("main"), "EINS.\nZWEI.\nDREI.\n");
}

// Output from the time when Redis was unavailable is in Redis before another replica continues.
TEST(RedisUnavailable, StreamContinuesElsewhereOnceItsReplicaHasCaughtUp) {
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed ? "killed, and empty afterwards" : "it does not answer");
    RedisProcess redis;
    const Replica first(redis);
    const Replica second(redis);
    Begun begun = begin(first, start_message("main"));
    EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
    killed ? redis.kill() : redis.signal(SIGSTOP);
    // More entries than are sent at once when Redis is available again.
    std::string said = "EINS.\n";
    for (int i = 0; i < 400; ++i) {
      EXPECT_EQ(say(begun.client, begun.resume, "Wort."), "WORT.");
      said += "WORT.\n";
    }
    killed ? redis.start() : redis.signal(SIGCONT);
    boost::json::object ready;
    TestClient client = come_back_with_retries(second, begun.resume, ready);
    EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), begun.resume.seq);
    EXPECT_THAT(ready.at("warnings").as_array(), IsEmpty());
    EXPECT_EQ(say(client, begun.resume, "Zwei."), "ZWEI.");
    EXPECT_EQ(second.transcript("main"), said + "ZWEI.\n");
  }
}

// Redis has all that the sender has received, but not what a viewer has.
TEST(RedisUnavailable, OutputThatAViewerHasIsNotReplacedWhenItReturns) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  TestClient viewer = watch(first);
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "EINS.");
  const protocol::Resume before = begun.resume;
  redis.signal(SIGSTOP);
  while (second.metric("surtitle_backplane_up") == 1) {
  }
  send(begun.client, protocol::Source{2, "Das zeigt", {}});
  EXPECT_EQ(next(viewer, "write", "text"), "DAS");
  first.signal(SIGSTOP);
  redis.signal(SIGCONT);
  second.until("the backplane is available");
  TestClient early = come_back(second, before);
  EXPECT_FALSE(early.read()) << "the first replica has not answered";
  EXPECT_EQ(early.close_code(), 1013);

  first.signal(SIGCONT);
  boost::json::object ready;
  TestClient client = come_back_with_retries(second, before, ready);
  EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), 2);
  send(client, protocol::Source{3, "er.", {}});
  EXPECT_EQ(next(client, "sentence", "target"), "DAS ZEIGT ER.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "DAS ZEIGT ER.");
}

// A viewer elsewhere had not received the end of the stream when Redis lost it.
TEST(RedisUnavailable, StreamThatJustEndedIsSentToAnEmptyRedis) {
  RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "EINS.");
  second.signal(SIGSTOP);
  EXPECT_EQ(say(begun.client, begun.resume, "Zwei."), "ZWEI.");
  send(begun.client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(begun.client), "- finished 1000");
  redis.kill();
  redis.start();
  second.signal(SIGCONT);
  EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
  EXPECT_FALSE(viewer.read_until("state").at("sender").as_bool());
}

// The replicas could send no heartbeat for longer than a heartbeat lives.
TEST(RedisUnavailable, NoReplicaCountsAsDeadWhenItReturns) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Eins."), "EINS.");
  redis.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(6));  // longer than a heartbeat lives
  EXPECT_EQ(translate(begun.client, 2, "Zwei."), "ZWEI.");
  redis.signal(SIGCONT);
  first.until("the backplane is available");
  second.until("the backplane is available");
  EXPECT_EQ(translate(begun.client, 3, "Drei."), "DREI.");
  while (second.transcript("main") != "EINS.\nZWEI.\nDREI.\n") {
  }
  EXPECT_EQ(second.metric("surtitle_backplane_streams_adopted_total"), 0);
}

TEST(RedisUnavailable, DaemonStartsWithoutIt) {
  RedisProcess redis;
  const std::string url = redis.url();
  redis.kill();
  const DaemonProcess daemon({"--backplane-url", url});
  TestClient client = start_stream(daemon.port(), "main");
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
  redis.start();
  while (ask_http(daemon.port(), "GET /readyz HTTP/1.1").body !=
         "ready\nthe backplane is available\n") {
  }
}

TEST(RedisUnavailable, WrongPasswordIsReportedButNotLogged) {
  const RedisProcess redis({"--requirepass", "right"});
  const std::string place = "127.0.0.1:" + std::to_string(redis.port());
  DaemonProcess wrong({"--backplane-url", "redis://:guessed@" + place, "--log-level", "info"});
  EXPECT_THAT(ask_http(wrong.port(), "GET /readyz HTTP/1.1").body, HasSubstr("unavailable"));
  wrong.signal(SIGTERM);
  const std::string log = wrong.wait().err;
  EXPECT_THAT(log, HasSubstr("WRONGPASS"));
  EXPECT_THAT(log, Not(HasSubstr("guessed")));
  const DaemonProcess right({"--backplane-url", "redis://:right@" + place});
  while (ask_http(right.port(), "GET /readyz HTTP/1.1").body !=
         "ready\nthe backplane is available\n") {
  }
}

}  // namespace
}  // namespace surtitle
