// Viewers know if the sender of their channel is lost, and the title and the speaker of its stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TestClient watch(int port, const std::string& query = "") {
  return {port, "/v1/channels/main" + query};
}

bool is_interrupted(const boost::json::object& message) { return message.contains("interrupted"); }

std::string channels(int port) { return ask_http(port, "GET /v1/channels HTTP/1.1").body; }

TEST(Interruption, IsToldToPresentLateAndReturningViewersOfEveryTrack) {
  const DaemonProcess daemon({"--models", "en,de-en-multipath,de-fr"});
  protocol::Start start = start_message("main");
  start.tracks = {{"fr", "fr", {}, {}}};
  std::optional<Begun> begun = begin_stream(daemon.port(), start);
  TestClient viewer = watch(daemon.port());
  TestClient french = watch(daemon.port(), "?track=fr");
  EXPECT_FALSE(is_interrupted(viewer.read_until("ready")));
  french.read_until("ready");
  translate(begun->client, 1, "Ja.");
  protocol::Resume resume = begun->resume;
  resume.seq = 1;
  begun.reset();  // without a close frame

  const boost::json::object lost = viewer.read_until("interruption");
  EXPECT_GT(lost.at("interrupted").to_number<double>(), 0);
  EXPECT_LE(lost.at("interrupted").to_number<double>(), 30);
  EXPECT_TRUE(is_interrupted(french.read_until("interruption")));
  EXPECT_THAT(channels(daemon.port()),
              AllOf(HasSubstr("\"live\":true"), HasSubstr("\"interrupted\":true")));
  TestClient late = watch(daemon.port());
  EXPECT_LE(late.read_until("ready").at("interrupted").to_number<double>(), 30);
  TestClient back = watch(daemon.port(), "?after=" + resume.stream + ":1");
  const boost::json::object ready = back.read_until("ready");
  EXPECT_TRUE(ready.contains("after"));
  EXPECT_TRUE(is_interrupted(ready));

  TestClient sender = come_back(daemon.port(), resume);
  sender.read_until("ready");
  for (TestClient* one : {&viewer, &french, &late, &back}) {
    EXPECT_FALSE(is_interrupted(one->read_until("interruption")));
  }
  EXPECT_THAT(channels(daemon.port()), HasSubstr("\"interrupted\":false"));
  EXPECT_FALSE(is_interrupted(watch(daemon.port()).read_until("ready")));
  for (int track = 0; track < 2; ++track) {  // again, because `resume` names no event
    EXPECT_EQ(text_of(sender.read_until("sentence"), "target"), "JA.");
  }
  EXPECT_EQ(translate(sender, 2, "Doch."), "DOCH.");
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "DOCH.");
}

TEST(Interruption, EndsWithTheStreamIfNobodyReturns) {
  const DaemonProcess daemon({"--resume-timeout", "0.05"});
  TestClient viewer = watch(daemon.port());
  {
    const Begun begun = begin_stream(daemon.port(), start_message("main"));
    EXPECT_TRUE(viewer.read_until("state").at("sender").as_bool());
  }
  EXPECT_TRUE(is_interrupted(viewer.read_until("interruption")));
  EXPECT_FALSE(viewer.read_until("state").at("sender").as_bool());
  EXPECT_FALSE(is_interrupted(watch(daemon.port()).read_until("ready")));
}

TEST(Interruption, IsNoneIfTheSenderClosesItsConnection) {
  const DaemonProcess daemon;
  TestClient viewer = watch(daemon.port());
  Begun begun = begin_stream(daemon.port(), start_message("main"));
  begun.client.close();  // on purpose
  bool here = true;
  while (here) {
    const boost::json::object message = viewer.read().value();
    EXPECT_NE(type_of(message), "interruption");
    here = type_of(message) != "state" || message.at("sender").as_bool();
  }
}

TEST(Interruption, LastsOverACrashUntilTheSenderReturns) {
  CrashableDaemon daemon({});
  Begun begun = begin_stream(daemon.port(), start_message("main"));
  translate(begun.client, 1, "Ja.");
  daemon.kill();
  daemon.come_back();
  TestClient viewer = watch(daemon.port());
  const boost::json::object ready = viewer.read_until("ready");
  EXPECT_EQ(text_of(ready, "stream"), begun.resume.stream);
  EXPECT_GT(ready.at("interrupted").to_number<double>(), 0);
  TestClient back = watch(daemon.port(), "?after=" + begun.resume.stream + ":1");
  EXPECT_TRUE(is_interrupted(back.read_until("ready")));
  protocol::Resume resume = begun.resume;
  resume.seq = 1;
  TestClient sender = come_back(daemon.port(), resume);
  sender.read_until("ready");
  EXPECT_FALSE(is_interrupted(viewer.read_until("interruption")));
  EXPECT_FALSE(is_interrupted(back.read_until("interruption")));
}

// --- title and speaker ---

std::string heading(const boost::json::object& message) {
  const auto field = [&](std::string_view key) {
    return message.contains(key) ? text_of(message, key) : "-";
  };
  return field("title") + " / " + field("speaker");
}

protocol::Configure speaker(const std::string& name) {
  protocol::Configure configure;
  configure.speaker = name;
  return configure;
}

TEST(Heading, IsSentToSenderAndViewersAndSurvivesACrash) {
  CrashableDaemon daemon({});
  TestClient early = watch(daemon.port());
  EXPECT_EQ(heading(early.read_until("ready")), "- / -");
  protocol::Start start = start_message("main");
  start.heading = {"Hörsaal 1", ""};
  TestClient first(daemon.port(), "/v1/stream");
  send(first, start);
  const boost::json::object ready = first.read_until("ready");
  EXPECT_EQ(heading(ready), "Hörsaal 1 / -");
  EXPECT_EQ(heading(early.read_until("state")), "Hörsaal 1 / -");
  translate(first, 1, "Ja.");
  send(first, speaker("Ada"));
  const boost::json::object change = first.read_until("heading");
  EXPECT_EQ(heading(change), "Hörsaal 1 / Ada");
  EXPECT_EQ(heading(early.read_until("heading")), "Hörsaal 1 / Ada");
  EXPECT_EQ(heading(watch(daemon.port()).read_until("ready")), "Hörsaal 1 / Ada");
  translate(first, 2, "Nein.");

  daemon.kill();
  daemon.come_back();
  EXPECT_EQ(heading(watch(daemon.port()).read_until("ready")), "Hörsaal 1 / Ada");
  const std::string stream = text_of(ready, "stream");
  TestClient back = watch(daemon.port(), "?after=" + stream + ":1");
  EXPECT_EQ(back.read_until("heading"), change);
  protocol::Resume resume{stream, text_of(ready.at("resume").as_object(), "key"), 2, 1};
  TestClient sender = come_back(daemon.port(), resume);
  EXPECT_EQ(heading(sender.read_until("ready")), "Hörsaal 1 / Ada");
  EXPECT_EQ(heading(sender.read_until("heading")), "Hörsaal 1 / Ada");
  EXPECT_THAT(channels(daemon.port()),
              HasSubstr("\"name\":\"main\",\"title\":\"Hörsaal 1\",\"speaker\":\"Ada\""));
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/channels/main/transcript.txt HTTP/1.1").body,
            "Title: Hörsaal 1\n\nJA.\n\nTitle: Hörsaal 1\nSpeaker: Ada\n\nNEIN.\n");
}

TEST(Heading, ThatIsNotAllowedChangesNothing) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  send(client, speaker("two\nlines"));
  const boost::json::object error = client.read_until("error");
  EXPECT_EQ(text_of(error, "code"), "not-configured");
  EXPECT_EQ(text_of(error, "message"),
            "configure: field 'speaker' must be at most 200 characters, on one line and without "
            "control characters");
  protocol::Configure both = speaker("Ada");
  both.track = "absent";
  send(client, both);
  EXPECT_EQ(text_of(client.read_until("error"), "code"), "not-configured");
  EXPECT_EQ(heading(watch(daemon.port()).read_until("ready")), "- / -");
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
}

TEST(Heading, ChangesTogetherWithThePolicy) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  protocol::Configure both = speaker("Ada");
  both.policy = "wait-k:k=1";
  send(client, both);
  EXPECT_EQ(heading(client.read_until("heading")), " / Ada");
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
  EXPECT_EQ(heading(watch(daemon.port()).read_until("ready")), "- / Ada");
}

TEST(Heading, NeedsNoJournal) {
  const DaemonProcess daemon({"--journal-path", "none"});
  TestClient client = start_stream(daemon.port(), "main");
  send(client, speaker("Ada"));
  EXPECT_FALSE(client.read_until("heading").contains("event"));
  EXPECT_EQ(heading(watch(daemon.port()).read_until("ready")), "- / Ada");
}

TEST(Heading, IsALineOfTheStreamLog) {
  const StateFolder state;
  const std::string folder = state.journal() + ".logs";
  const DaemonProcess daemon({"--stream-logs", folder});
  protocol::Start start = start_message("main");
  start.heading = {"Saal 1", ""};
  Begun begun = begin_stream(daemon.port(), start);
  send(begun.client, speaker("Ada"));
  begun.client.read_until("heading");
  send(begun.client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(begun.client), "- finished 1000");
  std::string lines;
  while (lines.find("\"type\":\"end\"") == std::string::npos) {
    lines.clear();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(entry.path());
      lines.assign(std::istreambuf_iterator<char>(in), {});
    }
  }
  EXPECT_THAT(lines,
              AllOf(StartsWith("{\"type\":\"stream_log\""), HasSubstr("\"title\":\"Saal 1\"}\n"),
                    HasSubstr("\"type\":\"heading\",\"title\":\"Saal 1\",\"speaker\":\"Ada\"")));
}

}  // namespace
}  // namespace surtitle
