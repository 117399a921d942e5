// The daemon as a process: streams, channels, limits, draining.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DaemonStreams, TranslateWhileSourceArrives) {
  const DaemonProcess daemon;
  TestClient client(daemon.port(), "/v1/stream");
  EXPECT_EQ(client.subprotocol(), "surtitle.v1");
  send(client, start_message());
  const auto ready = client.read_until("ready");
  EXPECT_EQ(text_of(ready, "model"), "scripted");
  EXPECT_EQ(text_of(ready, "policy"), "gma:delta=1");

  send(client, protocol::Source{1, "Guten Morgen,", 0.5});
  EXPECT_EQ(number_of(client.read_until("ack"), "seq"), 1);
  std::string target;
  for (int token = 0; token < 4; ++token) {  // before the sentence has ended
    target += text_of(client.read_until("write"), "text");
  }
  EXPECT_EQ(target, "GUTEN MORGEN,");
  send(client, protocol::Source{2, "liebe Gäste. Und", {}});
  send(client, protocol::Finish{});

  std::string rest;
  std::vector<std::string> sentences;
  std::vector<std::string> types;
  for (const auto& message : client.read_to_end()) {
    types.push_back(type_of(message));
    if (types.back() == "write") {
      rest += text_of(message, "text");
    } else if (types.back() == "sentence") {
      sentences.push_back(text_of(message, "target"));
    }
  }
  EXPECT_THAT(sentences, ElementsAre("GUTEN MORGEN, LIEBE GäSTE.", "UND"));
  EXPECT_EQ(target + rest, sentences[0] + sentences[1]);
  EXPECT_EQ(types.back(), "bye");
  EXPECT_EQ(client.close_code(), 1000);
}

TEST(DaemonStreams, RunSideBySide) {
  const DaemonProcess daemon;
  std::vector<TestClient> clients;
  clients.reserve(8);
  for (int i = 0; i < 8; ++i) {
    clients.push_back(start_stream(daemon.port(), {}, i % 2 == 0 ? "gma:delta=2" : "wait-k:k=2"));
  }
  for (int round = 1; round <= 5; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      send(clients[i],
           protocol::Source{
               round, "Satz " + std::to_string(i) + " Nummer " + std::to_string(round) + "!", {}});
    }
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (int round = 1; round <= 5; ++round) {
      const auto sentence = clients[i].read_until("sentence");
      EXPECT_EQ(number_of(sentence, "sentence"), round - 1);
      EXPECT_EQ(text_of(sentence, "target"),
                "SATZ " + std::to_string(i) + " NUMMER " + std::to_string(round) + "!");
    }
  }
}

TEST(DaemonStreams, WaitWhileTheModelIsFull) {
  const DaemonProcess daemon({"--max-sentences", "1"});
  TestClient first = start_stream(daemon.port());
  send(first, protocol::Source{1, "Ein offener Satz", {}});
  first.read_until("write");  // holds the only slot
  TestClient second = start_stream(daemon.port());
  send(second, protocol::Source{1, "Noch einer.", {}});
  second.read_until("ack");
  send(first, protocol::EndSentence{});
  EXPECT_EQ(text_of(second.read_until("sentence"), "target"), "NOCH EINER.");
}

TEST(DaemonStreams, EndSentencesAfterSilence) {
  const DaemonProcess daemon({"--sentence-silence", "0.05"});
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(translate(client, 1, "kein Satzzeichen"), "KEIN SATZZEICHEN");
}

TEST(DaemonStreams, CommitTheStablePartOfHypotheses) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port());
  send(client, protocol::Hypothesis{"guten mor", false});
  send(client, protocol::Hypothesis{"guten morgen", false});
  EXPECT_EQ(text_of(client.read_until("write"), "text"), "GUTE");
  send(client, protocol::Hypothesis{"guten morgen liebe", true});
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "GUTEN MORGEN LIEBE");
}

TEST(DaemonStreams, ReportARevisionWithoutApplyingIt) {
  const DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/main");
  TestClient client(daemon.port(), "/v1/stream");
  protocol::Start start{"de", "en", {}, {}, "main", {}, 1};
  send(client, start);
  send(client, protocol::Hypothesis{"das ist gut", false});
  send(client, protocol::Hypothesis{"dass ist gut", true});
  for (TestClient* side : {&client, &viewer}) {
    const auto revision = side->read_until("revision");
    EXPECT_EQ(text_of(revision, "committed"), "das");
    EXPECT_EQ(text_of(revision, "heard"), "dass");
    EXPECT_EQ(text_of(side->read_until("sentence"), "target"), "DAS IST GUT");
  }
}

TEST(DaemonStreams, EchoCommittedWordsOnRequest) {
  const DaemonProcess daemon;
  TestClient client(daemon.port(), "/v1/stream");
  protocol::Start start = start_message();
  start.echo = true;
  send(client, start);
  send(client, protocol::Hypothesis{"guten morgen lieb", false});
  send(client, protocol::Hypothesis{"guten morgen liebe", false});
  const auto source = client.read_until("source");
  EXPECT_EQ(text_of(source, "text"), "guten morgen");
  EXPECT_EQ(number_of(source, "sentence"), 0);
  send(client, protocol::Hypothesis{"guten morgen liebe", true});
  EXPECT_EQ(text_of(client.read_until("source"), "text"), "liebe");
  send(client, protocol::Source{1, "", {}});
  EXPECT_EQ(number_of(client.read_until("ack"), "seq"), 1)
      << "all earlier messages are acknowledged";
}

TEST(DaemonStreams, WarnOfAPolicyThatTheModelWasNotTrainedFor) {
  const DaemonProcess daemon;
  TestClient client(daemon.port(), "/v1/stream");
  send(client, start_message({}, "wait-k:k=3"));
  const auto ready = client.read_until("ready");
  ASSERT_EQ(ready.at("warnings").as_array().size(), 1U);
  EXPECT_EQ(ready.at("warnings").as_array()[0].as_string(),
            "policy wait-k: model scripted was trained for gma");
}

// --- channels ---

TEST(DaemonChannels, ShowSourceAndTranslation) {
  const DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/main");
  EXPECT_EQ(text_of(viewer.read_until("ready"), "channel"), "main");
  TestClient sender = start_stream(daemon.port(), "main");
  EXPECT_TRUE(viewer.read_until("state").at("sender").as_bool());
  send(sender, protocol::Source{1, "Guten Morgen.", 2.5});
  const auto source = viewer.read_until("source");
  EXPECT_EQ(text_of(source, "text"), "Guten Morgen.");
  EXPECT_EQ(source.at("time").to_number<double>(), 2.5);
  std::string target;
  boost::json::object message;
  while (type_of(message = viewer.read().value()) != "sentence") {
    target += type_of(message) == "write" ? text_of(message, "text") : "";
  }
  EXPECT_EQ(text_of(message, "target"), target);
  sender.close();
  EXPECT_FALSE(viewer.read_until("state").at("sender").as_bool());
  TestClient next = start_stream(daemon.port(), "main");
  EXPECT_TRUE(viewer.read_until("state").at("sender").as_bool());
}

TEST(DaemonChannels, SendALateViewerTheOpenSentenceAndTheLastTwo) {
  const DaemonProcess daemon;
  TestClient sender = start_stream(daemon.port(), "main");
  for (int i = 1; i <= 4; ++i) {
    translate(sender, i, "Satz " + std::to_string(i) + "!");
  }
  send(sender, protocol::Source{5, "Noch offen", {}});
  for (int token = 0; token < 3; ++token) {
    sender.read_until("write");
  }
  TestClient viewer(daemon.port(), "/v1/channels/main");
  const auto ready = viewer.read_until("ready");
  EXPECT_EQ(text_of(ready, "model"), "scripted");
  std::map<int, std::string> targets;
  std::vector<int> finished;
  while (targets[4] != "NOCH OFFEN") {
    const auto message = viewer.read().value();
    if (type_of(message) == "write") {
      targets[number_of(message, "sentence")] += text_of(message, "text");
    } else if (type_of(message) == "sentence") {
      finished.push_back(number_of(message, "sentence"));
    }
  }
  EXPECT_THAT(finished, ElementsAre(2, 3));
  EXPECT_EQ(targets[3], "SATZ 4!");
  EXPECT_FALSE(targets.contains(1));
  send(sender, protocol::Source{6, "fertig.", {}});
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "NOCH OFFEN FERTIG.");
}

TEST(DaemonChannels, HaveOneSender) {
  const DaemonProcess daemon;
  TestClient sender = start_stream(daemon.port(), "main");
  TestClient second(daemon.port(), "/v1/stream");
  send(second, start_message("main"));
  EXPECT_EQ(how_it_ends(second), "channel-busy error 4409");
  EXPECT_EQ(translate(sender, 1, "Weiter."), "WEITER.");
}

// --- limits ---

TEST(DaemonLimits, RejectStreamsBeyondTheLimit) {
  const DaemonProcess daemon({"--limits-streams", "2"});
  TestClient first = start_stream(daemon.port());
  TestClient second = start_stream(daemon.port());
  TestClient third(daemon.port(), "/v1/stream");
  send(third, start_message());
  EXPECT_EQ(how_it_ends(third), "too-many-streams error 1013");
  send(second, protocol::Finish{});
  second.read_to_end();
  start_stream(daemon.port());  // there is room again
  EXPECT_EQ(translate(first, 1, "Weiter."), "WEITER.");
}

TEST(DaemonLimits, RejectViewersBeyondTheLimit) {
  const DaemonProcess daemon({"--limits-viewers", "1"});
  TestClient first(daemon.port(), "/v1/channels/main");
  first.read_until("ready");
  TestClient second(daemon.port(), "/v1/channels/main");
  EXPECT_EQ(how_it_ends(second), "too-many-streams error 1013");
}

TEST(DaemonLimits, AcceptALongTextAtOnceAndLoseNothing) {
  const DaemonProcess daemon({"--limits-queued-words", "401"});
  TestClient client = start_stream(daemon.port());
  constexpr int kMessages = 40;
  for (int i = 1; i <= kMessages; ++i) {
    std::string text;
    for (int word = 0; word < 100; ++word) {
      text += "wort" + std::to_string(word) + (word % 10 == 9 ? ". " : " ");
    }
    send(client, protocol::Source{i, text, {}});
  }
  send(client, protocol::Finish{});
  int sentences = 0;
  for (const auto& message : client.read_to_end()) {
    sentences += type_of(message) == "sentence" ? 1 : 0;
  }
  EXPECT_EQ(sentences, kMessages * 10);
  EXPECT_EQ(client.close_code(), 1000);
}

// --- draining ---

TEST(DaemonDrain, FinishesOpenSentencesAndExitsWithZero) {
  DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  TestClient sender = start_stream(daemon.port(), "main", "full-sentence");
  send(sender, protocol::Source{1, "Ein offener Satz", {}});
  sender.read_until("ack");
  TestClient idle(daemon.port(), "/v1/stream");  // never starts
  const double streams = metric(daemon.port(), "surtitle_streams");
  EXPECT_EQ(streams, 2);
  daemon.signal(SIGTERM);
  EXPECT_EQ(text_of(sender.read_until("sentence"), "target"), "EIN OFFENER SATZ");
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "EIN OFFENER SATZ");
  EXPECT_EQ(how_it_ends(sender), "- draining 1001");
  EXPECT_EQ(how_it_ends(viewer), "- draining 1001");
  EXPECT_EQ(how_it_ends(idle), "draining draining 1001");
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST(DaemonDrain, SendsByeToEverySender) {
  DaemonProcess daemon;
  std::vector<TestClient> senders;
  senders.reserve(8);
  for (int i = 0; i < 8; ++i) {
    senders.push_back(start_stream(daemon.port(), {}, "full-sentence"));
    send(senders.back(), protocol::Source{1, "Ein offener Satz", {}});
    senders.back().read_until("ack");
  }
  daemon.signal(SIGTERM);
  for (TestClient& sender : senders) {
    EXPECT_EQ(text_of(sender.read_until("sentence"), "target"), "EIN OFFENER SATZ");
    EXPECT_EQ(how_it_ends(sender), "- draining 1001");
  }
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

// A viewer that does not answer the close keeps the daemon draining until it is cut off.
class DrainingDaemon : public ::testing::Test {
 protected:
  void SetUp() override {
    viewer_.read_until("ready");
    daemon_.signal(SIGTERM);
    viewer_.read_until("bye");
  }

  DaemonProcess daemon_;
  TestClient viewer_{daemon_.port(), "/v1/channels/main"};
};

TEST_F(DrainingDaemon, IsAliveButNotReadyAndAcceptsNoStreams) {
  EXPECT_EQ(ask_http(daemon_.port(), "GET /healthz HTTP/1.1").status, 200);
  EXPECT_EQ(ask_http(daemon_.port(), "GET /readyz HTTP/1.1").status, 503);
  TestClient sender(daemon_.port(), "/v1/stream");
  EXPECT_EQ(how_it_ends(sender), "draining draining 1001");
  TestClient viewer(daemon_.port(), "/v1/channels/main");
  EXPECT_EQ(how_it_ends(viewer), "draining draining 1001");
  const std::string text = R"({"q":"Guten Tag.","source":"de","target":"en"})";
  const HttpAnswer translated = ask_http(
      daemon_.port(), "POST /translate HTTP/1.1",
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) + "\r\n",
      text);
  EXPECT_EQ(translated.status, 503);
  EXPECT_THAT(translated.headers, HasSubstr("\r\nRetry-After: 5\r\n"));
  viewer_.read_to_end();
  EXPECT_EQ(daemon_.wait().exit_code, 0);
}

TEST_F(DrainingDaemon, EndsAtOnceAfterAnotherSignal) {
  daemon_.signal(SIGINT);
  EXPECT_EQ(daemon_.wait().exit_code, 1);
}

TEST(DaemonDrain, EndsAfterItsTimeout) {
  DaemonProcess daemon({"--drain-timeout", "0.05"});
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  daemon.signal(SIGINT);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

// A sender is not cut off for messages that it sends while the daemon drains.
TEST(DaemonDrain, IgnoresLaterMessages) {
  DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), {}, "full-sentence");
  send(client, protocol::Source{1, "ein halber Satz", {}});
  client.read_until("ack");
  daemon.signal(SIGTERM);
  while (ask_http(daemon.port(), "GET /readyz HTTP/1.1").status == 200) {
    send(client, protocol::EndSentence{});
  }
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "EIN HALBER SATZ");
  EXPECT_EQ(how_it_ends(client), "- draining 1001");
}

}  // namespace
}  // namespace surtitle
