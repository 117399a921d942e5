// Replicas that share a real Redis: streams continue on another one, channels are watched on any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "tests/daemon/backplane/replica.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// --- streams ---

TEST(Backplane, StreamContinuesWithinASentenceOnAnotherReplica) {
  const RedisProcess redis;
  Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  send(begun.client, protocol::Source{1, "guten lieben", {}});
  const boost::json::object write = begun.client.read_until("write");
  EXPECT_EQ(text_of(write, "text"), "GUTE");
  begun.resume.seq = 1;
  begun.resume.event = write.at("event").as_int64();
  first.kill();

  TestClient client = come_back(second, begun.resume);
  const boost::json::object ready = client.read_until("ready");
  EXPECT_EQ(text_of(ready, "stream"), begun.resume.stream);
  EXPECT_EQ(text_of(ready, "channel"), "main");
  EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), 1);
  EXPECT_EQ(next(client, "write", "text"), "N");
  send(client, protocol::Source{2, "Morgen.", {}});
  EXPECT_EQ(next(client, "sentence", "target"), "GUTEN LIEBEN MORGEN.");
  send(client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(client), "- finished 1000");
  EXPECT_EQ(second.metric("surtitle_backplane_streams_adopted_total"), 1);
}

TEST(Backplane, DrainingReplicaHandsItsStreamsToOthers) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  Begun begun = begin(first, start_message("main"));
  send(begun.client, protocol::Source{1, "guten lieben", {}});
  begun.resume.event = begun.client.read_until("write").at("event").as_int64();
  begun.resume.seq = 1;
  first.signal(SIGTERM);
  EXPECT_EQ(how_it_ends(begun.client), "- - 1012");
  boost::json::object ready;
  TestClient client = come_back_with_retries(second, begun.resume, ready);
  send(client, protocol::Source{2, "Morgen.", {}});
  EXPECT_EQ(next(client, "sentence", "target"), "GUTEN LIEBEN MORGEN.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "GUTEN LIEBEN MORGEN.");
}

TEST(Backplane, StreamRequiresItsKey) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  protocol::Resume wrong = begun.resume;
  wrong.key.back() = wrong.key.back() == 'A' ? 'B' : 'A';
  TestClient thief = come_back(second, wrong);
  EXPECT_EQ(how_it_ends(thief), "resume-unavailable error 4400");
  wrong.stream = "s-0123/../owner";
  TestClient other = come_back(second, wrong);
  EXPECT_EQ(how_it_ends(other), "resume-unavailable error 4400");
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
}

TEST(Backplane, StreamThatEndedElsewhereReturnsItsEnd) {
  const RedisProcess redis;
  Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  send(begun.client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(begun.client), "- finished 1000");
  first.kill();
  TestClient again = come_back(second, begun.resume);
  EXPECT_EQ(next(again, "sentence", "target"), "JA.");
  EXPECT_EQ(how_it_ends(again), "- finished 1000");
}

// The stream moves from one replica to the other and back; each has an older state of it by then.
TEST(Backplane, StreamMayReturnToAReplica) {
  const RedisProcess redis;
  const std::array<Replica, 2> replicas{Replica(redis), Replica(redis)};
  Begun begun = begin(replicas[0], start_message("main"));
  std::string said;
  std::optional<TestClient> client(std::move(begun.client));
  for (std::size_t i = 1; i <= 6; ++i) {
    const std::string sentence(i, 'A');
    said += sentence + ".\n";
    EXPECT_EQ(say(*client, begun.resume, sentence + "."), sentence + ".");
    TestClient next = come_back(replicas.at(i % 2), begun.resume);
    next.read_until("ready");
    client.emplace(std::move(next));
  }
  EXPECT_EQ(replicas[0].transcript("main"), said);
  EXPECT_EQ(replicas[1].transcript("main"), said);
}

// Each replica has one of the streams in its journal and reads the other one from Redis.
TEST(Backplane, EachReplicaHasTheTranscriptsOfBoth) {
  const RedisProcess redis;
  const std::array<Replica, 2> replicas{Replica(redis), Replica(redis)};
  std::vector<std::string> streams;
  for (const auto& [replica, sentence] : {std::pair(0, "Eins."), std::pair(1, "Zwei.")}) {
    Begun begun = begin(replicas.at(replica), start_message("main"));
    translate(begun.client, 1, sentence);
    send(begun.client, protocol::Finish{});
    EXPECT_EQ(how_it_ends(begun.client), "- finished 1000");
    streams.push_back(begun.resume.stream);
  }
  for (const Replica& replica : replicas) {
    const auto get = [&](const std::string& file) {
      return ask_http(replica.port(), "GET /v1/channels/main/" + file + " HTTP/1.1").body;
    };
    while (get("transcript.txt?all=1") != "EINS.\n\nZWEI.\n") {  // once both are in Redis
    }
    EXPECT_EQ(get("transcripts/" + streams[0] + ".txt"), "EINS.\n");
    EXPECT_EQ(get("transcripts/" + streams[1] + ".txt"), "ZWEI.\n");
    const auto list = boost::json::parse(get("transcripts")).as_object();
    ASSERT_EQ(list.at("streams").as_array().size(), 2U);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const boost::json::object& one = list.at("streams").at(i).as_object();
      EXPECT_EQ(text_of(one, "stream"), streams[i]);
      EXPECT_EQ(text_of(one, "source"), "de");
      EXPECT_EQ(number_of(one, "source_words"), 1);
    }
  }
}

TEST(Backplane, AcknowledgedWordsAreTranslatedWithoutSenderAndReplica) {
  const RedisProcess redis;
  Replica first(redis, {"--sentence-silence", "0"});
  const Replica second(redis, {"--sentence-silence", "0", "--resume-timeout", "0.05"});
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  Begun begun = begin(first, start_message("main", "full-sentence"));
  send(begun.client, protocol::Source{1, "ein halber Satz", {}});
  begun.client.read_until("ack");
  first.kill();
  EXPECT_EQ(next(viewer, "sentence", "target"), "EIN HALBER SATZ");
  EXPECT_FALSE(viewer.read_until("state").at("sender").as_bool());
}

TEST(Backplane, StoppedReplicaDoesNotContinueStreamsThatMoved) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  TestClient viewer = watch(first);
  viewer.read_until("ready");
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "EINS.");
  first.signal(SIGSTOP);
  TestClient client = come_back(second, begun.resume);
  client.read_until("ready");
  EXPECT_EQ(say(client, begun.resume, "Zwei."), "ZWEI.");
  send(begun.client, protocol::Source{2, "Unfug.", {}});  // read once the replica continues
  first.signal(SIGCONT);
  EXPECT_EQ(how_it_ends(begun.client), "taken-over error 4409");
  EXPECT_EQ(say(client, begun.resume, "Drei."), "DREI.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "DREI.");
  EXPECT_EQ(second.transcript("main"), "EINS.\nZWEI.\nDREI.\n");
  EXPECT_EQ(first.transcript("main"), "EINS.\nZWEI.\nDREI.\n");
}

// The sender may have returned elsewhere since, and must keep its stream there.
TEST(Backplane, SenderThatLeftBeforeItsRequestIsReadMovesNoStream) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  Begun other = begin(first, start_message("other"));
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  ask_and_leave(second, begun.resume);
  TestClient later = come_back(second, other.resume);
  later.read_until("ready");
  EXPECT_EQ(say(begun.client, begun.resume, "Zwei."), "ZWEI.");
  EXPECT_EQ(second.metric("surtitle_backplane_streams_adopted_total"), 1);
}

TEST(Backplane, SenderThatLeavesWhileItWaitsFreesItsPlace) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  ++begun.resume.event;  // makes the second replica wait for the owner
  first.signal(SIGSTOP);
  {
    TestClient gone = come_back(second, begun.resume);
    send(gone, protocol::Source{2, "Zwei.", {}});
    second.readyz();  // answered after both were read
  }
  while (second.metric("surtitle_streams") > 0) {
  }
  first.signal(SIGCONT);
}

TEST(Backplane, RestartedReplicaLeavesStreamsThatMoved) {
  const RedisProcess redis;
  Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  EXPECT_EQ(say(begun.client, begun.resume, "Eins."), "EINS.");
  first.kill();
  TestClient client = come_back(second, begun.resume);
  client.read_until("ready");
  first.start();
  EXPECT_EQ(say(client, begun.resume, "Zwei."), "ZWEI.");
  EXPECT_EQ(first.metric("surtitle_streams"), 0);
  while (first.transcript("main") != "EINS.\nZWEI.\n") {  // once it is connected to Redis again
  }
}

// --- channels ---

TEST(Backplane, ChannelIsWatchedOnAnyReplica) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  const Replica third(redis);
  TestClient early = watch(second);
  EXPECT_FALSE(early.read_until("ready").contains("stream"));
  Begun begun = begin(first, start_message("main"));
  const boost::json::object state = early.read_until("state");
  EXPECT_TRUE(state.at("sender").as_bool());
  EXPECT_EQ(text_of(state, "stream"), begun.resume.stream);
  EXPECT_EQ(translate(begun.client, 1, "Guten Morgen."), "GUTEN MORGEN.");
  EXPECT_EQ(next(early, "source", "text"), "Guten Morgen.");
  EXPECT_EQ(next(early, "write", "text"), "GUTE");
  EXPECT_EQ(next(early, "sentence", "target"), "GUTEN MORGEN.");

  TestClient late = watch(third);
  const boost::json::object ready = late.read_until("ready");
  EXPECT_EQ(text_of(ready, "stream"), begun.resume.stream);
  EXPECT_EQ(next(late, "sentence", "target"), "GUTEN MORGEN.");
  TestClient knows = watch(third, "?after=" + begun.resume.stream + ":1");
  EXPECT_EQ(knows.read_until("ready").at("after").as_int64(), 1);
  EXPECT_EQ(next(knows, "write", "text"), "GUTE");
  EXPECT_EQ(third.transcript("main"), "GUTEN MORGEN.\n");
  EXPECT_THAT(third.transcript("absent"), HasSubstr("No words were sent"));

  send(begun.client, protocol::Finish{});
  EXPECT_FALSE(early.read_until("state").at("sender").as_bool());
  EXPECT_FALSE(late.read_until("state").at("sender").as_bool());
}

TEST(Backplane, ViewersOfAnyReplicaKnowThatASenderIsLost) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  const Replica third(redis);
  std::optional<Begun> begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun->client, 1, "Eins."), "EINS.");
  TestClient viewer = watch(second);
  EXPECT_FALSE(viewer.read_until("ready").contains("interrupted"));
  protocol::Resume resume = begun->resume;
  resume.seq = 1;
  begun.reset();
  EXPECT_LE(viewer.read_until("interruption").at("interrupted").to_number<double>(), 30);
  TestClient late = watch(third);
  EXPECT_TRUE(late.read_until("ready").contains("interrupted"));
  TestClient back = watch(second, "?after=" + resume.stream + ":1");
  EXPECT_TRUE(back.read_until("ready").contains("interrupted"));

  TestClient sender = come_back(third.port(), resume);
  sender.read_until("ready");
  for (TestClient* one : {&viewer, &late, &back}) {
    while (one->read_until("interruption").contains("interrupted")) {
    }
  }
  EXPECT_EQ(next(sender, "sentence", "target"), "EINS.");  // again: `resume` names no event
  EXPECT_EQ(say(sender, resume, "Zwei."), "ZWEI.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
}

TEST(Backplane, HeadingIsShownOnAnyReplicaAndMovesWithItsStream) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  TestClient early = watch(second);
  early.read_until("ready");
  protocol::Start start = start_message("main");
  start.heading = {"Saal 1", ""};
  std::optional<Begun> begun = begin(first, start);
  EXPECT_EQ(next(early, "state", "title"), "Saal 1");
  protocol::Configure configure;
  configure.speaker = "Ada";
  send(begun->client, configure);
  EXPECT_EQ(next(early, "heading", "speaker"), "Ada");
  EXPECT_THAT(boost::json::serialize(watch(second).read_until("ready")),
              HasSubstr(R"("speaker":"Ada")"));
  const protocol::Resume resume = begun->resume;
  begun.reset();
  TestClient sender = come_back(second.port(), resume);
  EXPECT_THAT(boost::json::serialize(sender.read_until("ready")), HasSubstr(R"("speaker":"Ada")"));
  EXPECT_THAT(boost::json::serialize(watch(first).read_until("ready")),
              HasSubstr(R"("speaker":"Ada")"));
}

TEST(Backplane, ViewerFollowsOneStreamAfterAnother) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun one = begin(first, start_message("main"));
  EXPECT_EQ(translate(one.client, 1, "Eins."), "EINS.");
  const std::string after = "?after=" + one.resume.stream + ":0";
  send(one.client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(one.client), "- finished 1000");
  Begun two = begin(second, start_message("main"));
  EXPECT_EQ(translate(two.client, 1, "Zwei."), "ZWEI.");
  for (const Replica* replica : {&first, &second}) {
    TestClient viewer = watch(*replica, after);
    EXPECT_EQ(text_of(viewer.read_until("ready"), "stream"), one.resume.stream);
    EXPECT_EQ(next(viewer, "sentence", "target"), "EINS.");
    EXPECT_EQ(next(viewer, "state", "stream"), two.resume.stream);
    EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
  }
}

TEST(Backplane, ChannelHasOneSender) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  Begun begun = begin(first, start_message("main"));
  TestClient viewer = watch(second);
  viewer.read_until("ready");
  TestClient other(second.port(), "/v1/stream");
  send(other, start_message("main"));
  EXPECT_EQ(how_it_ends(other), "channel-busy error 4409");
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "JA.");
}

TEST(Backplane, DetachedSenderMakesRoomOnEveryReplica) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  TestClient viewer = watch(first);
  viewer.read_until("ready");
  std::optional<Begun> begun = begin(first, start_message("main"));
  EXPECT_EQ(translate(begun->client, 1, "Eins."), "EINS.");
  begun.reset();
  TestClient other = begin_in_the_place(second, "main");
  EXPECT_EQ(translate(other, 1, "Zwei."), "ZWEI.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "EINS.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "ZWEI.");
}

// The sender was cut off at one replica and has returned to another one. Then the first replica
// detaches another sender.
TEST(Backplane, SenderThatReturnedElsewhereKeepsItsChannel) {
  const RedisProcess redis;
  const Replica first(redis);
  const Replica second(redis);
  std::optional<Begun> begun = begin(first, start_message("main"));
  const protocol::Resume resume = begun->resume;
  begun.reset();
  TestClient client = come_back(second, resume);
  client.read_until("ready");
  std::optional<Begun> other = begin(first, start_message("other"));
  other.reset();
  for (bool received = false; !received;) {  // until the second replica has noticed that
    TestClient next(second.port(), "/v1/stream");
    send(next, start_message("other"));
    const auto answer = next.read();
    received = answer && type_of(*answer) == "ready";
  }
  TestClient stranger(first.port(), "/v1/stream");
  send(stranger, start_message("main"));
  EXPECT_EQ(how_it_ends(stranger), "channel-busy error 4409");
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
}

TEST(Backplane, UnreadableEntryDelaysNoClient) {
  const RedisProcess redis;
  const Replica replica(redis);
  redis_cli(redis, "XADD surtitle:order:main '*' stream s-1 fence x");
  TestClient viewer = watch(replica);
  viewer.read_until("ready");
  Begun begun = begin(replica, start_message("main"));
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
  EXPECT_EQ(next(viewer, "sentence", "target"), "JA.");
}

TEST(BackplaneSetting, IsRejectedWithoutAJournalOrWithAnInvalidUrl) {
  const auto error = [](const std::vector<std::string>& flags) {
    return DaemonProcess::run(flags).err;
  };
  EXPECT_THAT(error({"--backplane-url", "redis://localhost", "--journal-path", "none"}),
              HasSubstr("backplane.url needs a journal"));
  EXPECT_THAT(error({"--backplane-url", "redis://localhost", "--backplane-retention", "0.01",
                     "--resume-timeout", "60"}),
              HasSubstr("backplane.retention must be longer than resume.timeout"));
  EXPECT_THAT(
      error({"--backplane-url", "rediss://:secret@localhost"}),
      ::testing::AllOf(HasSubstr("TLS to Redis is not supported"), Not(HasSubstr("secret"))));
  EXPECT_THAT(error({"--backplane-url", "localhost:6379"}), HasSubstr("must be redis://"));
}

}  // namespace
}  // namespace surtitle
