// Several translations of one stream, channels of many viewers, and transcripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Models "en", "de-en-multipath" and "de-fr" of the scripted daemon.
class TracksDaemon : public ::testing::Test {
 protected:
  TestClient start(const std::vector<protocol::TrackRequest>& tracks) {
    TestClient client(daemon_.port(), "/v1/stream");
    protocol::Start start = start_message("main");
    start.tracks = tracks;
    send(client, start);
    return client;
  }

  TestClient watch(const std::string& query = "") {
    TestClient viewer(daemon_.port(), "/v1/channels/main" + query);
    return viewer;
  }

  std::string get(const std::string& path, int status = 200) {
    const HttpAnswer answer = ask_http(daemon_.port(), "GET " + path + " HTTP/1.1");
    EXPECT_EQ(answer.status, status) << path;
    return answer.body;
  }

  DaemonProcess daemon_{{"--models", "en,de-en-multipath,de-fr"}};
};

const std::vector<protocol::TrackRequest> kFrench{{"fr", "fr", {}, {}}};

std::string track_of(const boost::json::object& message) {
  return message.contains("track") ? text_of(message, "track") : "";
}

// Returns the tracks of the messages of a type, until this many sentences have ended.
std::vector<std::string> tracks_seen(TestClient& client, const std::string& type, int sentences) {
  std::vector<std::string> tracks;
  while (sentences > 0) {
    const auto message = client.read();
    if (!message) {
      break;
    }
    if (type_of(*message) == type) {
      tracks.push_back(track_of(*message));
    }
    sentences -= type_of(*message) == "sentence" ? 1 : 0;
  }
  return tracks;
}

TEST_F(TracksDaemon, TranslateIntoSeveralLanguagesAtOnce) {
  TestClient sender = start(kFrench);
  const auto ready = sender.read_until("ready");
  const auto& tracks = ready.at("tracks").as_array();
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(text_of(tracks[1].as_object(), "model"), "de-fr");
  send(sender, protocol::Source{1, "Guten Morgen.", {}});
  EXPECT_THAT(tracks_seen(sender, "sentence", 2), testing::UnorderedElementsAre("", "fr"));
}

TEST(SeveralTargets, AreTracksOfOneModel) {
  DaemonProcess daemon({"--models", "several"});
  TestClient sender(daemon.port(), "/v1/stream");
  protocol::Start start = start_message();
  start.tracks = {{"es", "es-MX", {}, {}}};
  send(sender, start);
  const auto ready = sender.read_until("ready");
  EXPECT_EQ(text_of(ready.at("tracks").as_array().at(1).as_object(), "model"), "several");
  send(sender, protocol::Source{1, "Guten Morgen.", {}});
  std::map<std::string, std::string> sentences;
  while (sentences.size() < 2) {
    const auto sentence = sender.read_until("sentence");
    sentences[track_of(sentence)] = text_of(sentence, "target");
  }
  EXPECT_THAT(sentences, ElementsAre(Pair("", "GUTEN MORGEN."), Pair("es", "Guten Morgen.")));
  EXPECT_THAT(ask_http(daemon.port(), "GET /v1/models HTTP/1.1").body,
              HasSubstr(R"("target":"en","targets":["en","es","it"])"));
  EXPECT_THAT(ask_http(daemon.port(), "GET /languages HTTP/1.1").body,
              HasSubstr(R"("targets":["en","es","it"])"));
}

TEST_F(TracksDaemon, ViewerSelectsItsTrack) {
  TestClient sender = start(kFrench);
  sender.read_until("ready");
  TestClient french = watch("?track=fr");
  EXPECT_EQ(french.read_until("ready").at("tracks").as_array().size(), 2U);
  TestClient first = watch("?track=first");
  first.read_until("ready");
  send(sender, protocol::Source{1, "Guten Morgen.", {}});
  for (const std::string& track : tracks_seen(french, "write", 1)) {
    EXPECT_EQ(track, "fr");
  }
  for (const std::string& track : tracks_seen(first, "write", 1)) {
    EXPECT_EQ(track, "");
  }
}

TEST_F(TracksDaemon, InvalidQueryIsRejected) {
  for (const char* query :
       {"?backlog=-1", "?backlog=many", "?backlog=100000", "?track=a%20b", "?attention=yes"}) {
    EXPECT_THROW(watch(query), std::runtime_error) << query;
  }
}

TEST_F(TracksDaemon, TwoPoliciesRunSideBySide) {
  TestClient sender = start({{"slow", {}, {}, "full-sentence"}});
  sender.read_until("ready");
  send(sender, protocol::Source{1, "Guten Morgen Leute", {}});
  EXPECT_EQ(track_of(sender.read_until("write")), "");
  send(sender, protocol::Finish());
  EXPECT_THAT(tracks_seen(sender, "sentence", 2), testing::UnorderedElementsAre("", "slow"));
  EXPECT_EQ(how_it_ends(sender), "- finished 1000");
}

TEST_F(TracksDaemon, ErrorNamesTheImpossibleTrack) {
  TestClient sender = start({{"it", "it", {}, {}}});
  const auto error = sender.read_until("error");
  EXPECT_THAT(text_of(error, "message"), HasSubstr("track it: no model translates"));
}

TEST_F(TracksDaemon, CanBeConfiguredWhileTheyRun) {
  TestClient sender = start(kFrench);
  sender.read_until("ready");
  TestClient viewer = watch();
  viewer.read_until("ready");
  send(sender, protocol::Configure{{}, "de-en-multipath", "wait-k:k=2", {}});
  for (TestClient* client : {&sender, &viewer}) {
    const auto change = client->read_until("policy");
    EXPECT_EQ(track_of(change), "");
    EXPECT_EQ(text_of(change, "model"), "de-en-multipath");
    EXPECT_EQ(text_of(change, "policy"), "wait-k:k=2");
  }
  send(sender, protocol::Configure{{}, {}, {}, TextForm::kSpoken});
  EXPECT_THAT(sender.read_until("policy").at("warnings").as_array().at(0).as_string().c_str(),
              HasSubstr("source form spoken"));
  EXPECT_EQ(translate(sender, 1, "Guten Tag."), "GUTEN TAG");
  TestClient late = watch();
  const auto ready = late.read_until("ready");
  EXPECT_EQ(text_of(ready, "policy"), "wait-k:k=2");
}

TEST_F(TracksDaemon, InvalidConfigurationIsANoticeAndTheStreamContinues) {
  TestClient sender = start(kFrench);
  sender.read_until("ready");
  const std::vector<std::pair<protocol::Configure, std::string>> wrong{
      {{{}, {}, "gma:k=1", {}}, "policy 'gma'"},
      {{{}, "de-fr", {}, {}}, "does not translate"},
      {{{}, "nothing", {}, {}}, "unknown"},
      {{"es", {}, {}, {}}, "no track 'es'"}};
  for (const auto& [configure, message] : wrong) {
    send(sender, configure);
    const auto notice = sender.read_until("error");
    EXPECT_EQ(text_of(notice, "code"), "not-configured");
    EXPECT_THAT(text_of(notice, "message"), HasSubstr(message));
  }
  EXPECT_EQ(translate(sender, 1, "Guten Tag."), "GUTEN TAG.");
}

TEST_F(TracksDaemon, ConfigureBeforeStartIsRejected) {
  TestClient early(daemon_.port(), "/v1/stream");
  send(early, protocol::Configure{});
  EXPECT_EQ(how_it_ends(early), "out-of-order error 4400");
}

TEST(OneSentenceDaemon, ConfigureAfterFinishIsRejected) {
  DaemonProcess daemon({"--max-sentences", "1"});
  TestClient holding = start_stream(daemon.port());
  send(holding, protocol::Source{1, "Guten Morgen", {}});
  holding.read_until("write");
  TestClient late = start_stream(daemon.port());  // its sentence waits for the other's
  send(late, protocol::Source{1, "Guten", {}});
  send(late, protocol::Finish());
  send(late, protocol::Configure{});
  EXPECT_EQ(how_it_ends(late), "out-of-order error 4400");
}

TEST_F(TracksDaemon, SenderReceivesTheNumberOfViewers) {
  TestClient before = watch();
  before.read_until("ready");
  TestClient sender = start({});
  EXPECT_EQ(number_of(sender.read_until("viewers"), "viewers"), 1);
  {
    TestClient viewer = watch();
    viewer.read_until("ready");
    EXPECT_EQ(number_of(sender.read_until("viewers"), "viewers"), 2);
  }
  EXPECT_EQ(number_of(sender.read_until("viewers"), "viewers"), 1);
}

TEST_F(TracksDaemon, LateViewerReceivesTheBacklogThatItRequests) {
  TestClient sender = start({});
  sender.read_until("ready");
  for (int i = 1; i <= 5; ++i) {
    translate(sender, i, "Satz" + std::to_string(i) + ".");
  }
  const auto targets = [](TestClient& viewer, int count) {
    std::vector<std::string> found;
    for (int i = 0; i < count; ++i) {
      found.push_back(text_of(viewer.read_until("sentence"), "target"));
    }
    return found;
  };
  TestClient usual = watch();
  EXPECT_THAT(targets(usual, 2), ElementsAre("SATZ4.", "SATZ5."));
  TestClient all = watch("?backlog=100");
  EXPECT_THAT(targets(all, 5), ElementsAre("SATZ1.", "SATZ2.", "SATZ3.", "SATZ4.", "SATZ5."));
  TestClient none = watch("?backlog=0");
  send(sender, protocol::Source{6, "Satz6.", {}});
  EXPECT_THAT(targets(none, 1), ElementsAre("SATZ6."));
}

TEST_F(TracksDaemon, TranscriptsAreAvailableLiveAndAfterwards) {
  TestClient sender = start(kFrench);
  sender.read_until("ready");
  send(sender, protocol::Source{1, "Guten", 1.0});
  send(sender, protocol::Source{2, "Morgen.", 2.0});
  EXPECT_THAT(tracks_seen(sender, "sentence", 2), testing::SizeIs(2));
  send(sender, protocol::Source{3, "Ja", 4.0});
  send(sender, protocol::Source{4, "und nein", 5.0});
  while (!track_of(sender.read_until("write")).empty()) {
  }
  const std::string live = get("/v1/channels/main/transcript.txt");
  EXPECT_THAT(live, HasSubstr("GUTEN MORGEN.\nJA"));
  send(sender, protocol::Finish());
  sender.read_to_end();
  EXPECT_EQ(get("/v1/channels/main/transcript.vtt"),
            "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGUTEN MORGEN.\n\n"
            "00:00:04.000 --> 00:00:06.500\nJA UND NEIN\n");
  EXPECT_EQ(get("/v1/channels/main/transcript.txt?track=fr&bilingual=1"),
            "Guten Morgen.\nGUTEN MORGEN.\n\nJa und nein\nJA UND NEIN\n");
  EXPECT_THAT(get("/v1/channels/main/transcript.srt?track=fr"), HasSubstr("1\n00:00:0"));
  EXPECT_THAT(get("/v1/channels/main/transcript.json"), HasSubstr("\"complete\":true"));
}

TEST_F(TracksDaemon, TranscriptOfNothingIsNotFound) {
  EXPECT_THAT(get("/v1/channels/main/transcript.vtt", 404), HasSubstr("No words were sent"));
  TestClient sender = start({});
  sender.read_until("ready");
  translate(sender, 1, "Ja.");
  EXPECT_THAT(get("/v1/channels/main/transcript.vtt?track=xx", 404), HasSubstr("no track 'xx'"));
  EXPECT_THAT(get("/v1/channels/main/transcript.doc", 404), HasSubstr("json and html"));
  EXPECT_THAT(get("/v1/channels/a%20b/transcript.vtt", 404), HasSubstr("1 to 64"));
}

TEST(SlowViewer, ReceivesASnapshot) {
  DaemonProcess daemon({"--limits-outgoing-messages", "400"});
  TestClient viewer(daemon.port(), "/v1/channels/main", TestClient::SmallBuffer());
  viewer.read_until("ready");
  TestClient sender(daemon.port(), "/v1/stream");
  send(sender, start_message("main"));
  const std::string stream = text_of(sender.read_until("ready"), "stream");
  const std::string word(300, 'a');
  int seq = 0;
  while (metric(daemon.port(), "surtitle_viewer_snapshots_total") == 0) {
    translate(sender, ++seq, word + ".");
  }
  const auto catch_up = viewer.read_until("catch_up");
  EXPECT_GT(number_of(catch_up, "skipped"), 100);
  EXPECT_EQ(text_of(viewer.read_until("ready"), "stream"), stream);
  // Nothing is missing from the snapshot to the last sentence.
  std::vector<int> seen;
  do {
    seen.push_back(number_of(viewer.read_until("sentence"), "sentence"));
    EXPECT_EQ(seen.back(), seen.front() + static_cast<int>(seen.size()) - 1);
  } while (seen.back() < seq - 1);
  EXPECT_GE(seen.size(), 2U);
  send(sender, protocol::Finish());
  sender.read_to_end();
}

// Returns the types and tracks of the messages about steps, up to the sentence.
std::vector<std::string> steps_seen(TestClient& client) {
  std::vector<std::string> types;
  for (auto message = client.read(); message && type_of(*message) != "sentence";
       message = client.read()) {
    if (type_of(*message) == "write" || type_of(*message) == "attention") {
      types.push_back(type_of(*message) + track_of(*message));
    }
  }
  return types;
}

class AttentionDaemon : public TracksDaemon {
 protected:
  TestClient start_with_attention(const std::vector<protocol::TrackRequest>& tracks = {}) {
    TestClient client(daemon_.port(), "/v1/stream");
    protocol::Start start = start_message("main");
    start.tracks = tracks;
    start.attention = true;
    send(client, start);
    return client;
  }
};

TEST_F(AttentionDaemon, SendsAttentionToTheSenderAndToViewersOnRequest) {
  TestClient sender = start_with_attention();
  EXPECT_TRUE(sender.read_until("ready").at("warnings").as_array().empty());
  TestClient reader = watch();
  TestClient researcher = watch("?attention=1");
  TestClient not_now = watch("?attention=0");
  for (TestClient* viewer : {&reader, &researcher, &not_now}) {
    viewer->read_until("ready");
  }
  send(sender, protocol::Source{1, "Ja.", {}});
  EXPECT_THAT(steps_seen(sender), ElementsAre("write", "attention", "attention"));
  EXPECT_THAT(steps_seen(researcher), ElementsAre("write", "attention", "attention"));
  EXPECT_THAT(steps_seen(reader), ElementsAre("write"));
  EXPECT_THAT(steps_seen(not_now), ElementsAre("write"));
}

TEST_F(AttentionDaemon, SendsAttentionOfEachTrack) {
  TestClient sender = start_with_attention(kFrench);
  sender.read_until("ready");
  TestClient viewer = watch("?attention=1&track=fr");
  viewer.read_until("ready");
  send(sender, protocol::Source{1, "Gut", {}});
  const auto attention = viewer.read_until("attention");
  EXPECT_EQ(track_of(attention), "fr");
  EXPECT_EQ(text_of(attention, "target"), "\u2581GUT");
  EXPECT_EQ(number_of(attention, "read"), 1);
  EXPECT_EQ(attention.at("layers").as_array().size(), 2U);
  EXPECT_EQ(attention.at("source").as_array().size(), 1U);
}

TEST_F(TracksDaemon, AttentionIsNotSentUnlessRequested) {
  TestClient sender = start({});
  sender.read_until("ready");
  TestClient researcher = watch("?attention=1");
  researcher.read_until("ready");
  send(sender, protocol::Source{1, "Ja.", {}});
  EXPECT_THAT(steps_seen(sender), ElementsAre("write"));
  EXPECT_THAT(steps_seen(researcher), ElementsAre("write"));
}

TEST(BlindDaemon, WarnsOfMissingAttentionAndTranslates) {
  DaemonProcess daemon({"--models", "blind"});
  TestClient sender(daemon.port(), "/v1/stream");
  protocol::Start start = start_message();
  start.attention = true;
  send(sender, start);
  EXPECT_EQ(sender.read_until("ready").at("warnings").as_array().front().as_string(),
            "attention: model blind runs on a device that does not provide it");
  send(sender, protocol::Source{1, "Ja.", {}});
  EXPECT_THAT(steps_seen(sender), ElementsAre("write"));
}

}  // namespace
}  // namespace surtitle
