// The daemon as a process with invalid input: its connection receives an error, others continue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/raw_websocket.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

const std::string kStart = protocol::to_json(start_message());

struct Case {
  std::string name;
  std::vector<std::string> messages;
  std::string ends;
};

class BadInput : public ::testing::TestWithParam<Case> {};

TEST_P(BadInput, EndsOnlyItsOwnStream) {
  const DaemonProcess daemon;
  TestClient bystander = start_stream(daemon.port());
  EXPECT_EQ(translate(bystander, 1, "Vorher."), "VORHER.");
  TestClient client(daemon.port(), "/v1/stream");
  for (const std::string& message : GetParam().messages) {
    client.send(message);
  }
  EXPECT_EQ(how_it_ends(client), GetParam().ends);
  EXPECT_EQ(translate(bystander, 2, "Nachher."), "NACHHER.");
  const std::string code = GetParam().ends.substr(0, GetParam().ends.find(' '));
  EXPECT_EQ(metric(daemon.port(), "surtitle_errors_total{code=\"" + code + "\"}"), 1);
}

std::string ten_megabytes() {
  constexpr std::size_t kBytes = 10'000'000;
  std::string text;
  text.resize(kBytes, 'x');
  return text;
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "ja. ";
  }
  return protocol::to_json(protocol::Source{1, text, {}});
}

const std::string kTwoWords = R"({"type":"source","seq":1,"text":"Guten Tag"})";

INSTANTIATE_TEST_SUITE_P(
    Daemon, BadInput,
    ::testing::Values(
        Case{"BrokenJson", {kStart, R"({"type":)"}, "bad-json error 4400"},
        Case{"UnknownType", {kStart, R"({"type":"stop"})"}, "unknown-type error 4400"},
        Case{"MissingField", {kStart, R"({"type":"source","seq":1})"}, "bad-field error 4400"},
        Case{"InvalidUtf8", {kStart, "{\"type\":\"\xC3\x28\"}"}, "bad-utf8 error 1007"},
        Case{"CutOffUtf8", {"{\"type\":\"\xE2\x82"}, "bad-utf8 error 1007"},
        Case{"TooLarge", {kStart, std::string(65537, ' ')}, "message-too-large error 1009"},
        Case{"TenMegabytes", {kStart, ten_megabytes()}, "message-too-large error 1009"},
        Case{"TooManyWords", {kStart, words(2001)}, "message-too-large error 1009"},
        Case{"TimeWithoutEnd",
             {kStart, R"({"type":"source","seq":1,"text":"a","time":1e999})"},
             "bad-field error 4400"},
        Case{"SourceBeforeStart", {kTwoWords}, "out-of-order error 4400"},
        Case{"StartTwice", {kStart, kStart}, "out-of-order error 4400"},
        Case{"SequenceTooGreat",
             {kStart, R"({"type":"source","seq":9007199254740992,"text":"a"})"},
             "bad-field error 4400"},
        Case{"SequenceGreaterThanADouble",
             {kStart, R"({"type":"source","seq":9223372036854775807,"text":"a"})"},
             "bad-field error 4400"},
        Case{"SequenceGoesBack", {kStart, kTwoWords, kTwoWords}, "bad-sequence error 4400"},
        Case{"SequenceZero",
             {kStart, R"({"type":"source","seq":0,"text":"a"})"},
             "bad-sequence error 4400"},
        Case{"UnknownPolicy",
             {R"({"type":"start","source":"de","target":"en","policy":"greedy"})"},
             "bad-policy error 4400"},
        Case{"UnknownModel",
             {R"({"type":"start","source":"de","target":"en","model":"x"})"},
             "unknown-model error 4400"},
        Case{"UnknownLanguages",
             {R"({"type":"start","source":"fr","target":"en"})"},
             "unsupported-languages error 4400"},
        Case{
            "Resume",
            {R"({"type":"start","source":"de","target":"en","resume":{"stream":"s-1","key":"0"}})"},
            "resume-unavailable error 4400"},
        Case{"BadChannelName",
             {R"({"type":"start","source":"de","target":"en","channel":"../x"})"},
             "bad-field error 4400"},
        Case{"TranslatorRefuses",
             {kStart, R"({"type":"source","seq":1,"text":"xx-refuse"})"},
             "internal error 1011"}),
    [](const auto& given) { return given.param.name; });

TEST(DaemonBadInput, SourceAfterFinishIsRejected) {
  // The only slot of the model is taken, so that the stream is open when the late word arrives.
  const DaemonProcess daemon({"--max-sentences", "1"});
  TestClient holder = start_stream(daemon.port());
  send(holder, protocol::Source{1, "Ein offener Satz", {}});
  holder.read_until("write");
  TestClient client = start_stream(daemon.port());
  client.send(kTwoWords);
  send(client, protocol::Finish{});
  send(client, protocol::Source{2, "zu spät", {}});
  EXPECT_EQ(how_it_ends(client), "out-of-order error 4400");
  EXPECT_EQ(translate(holder, 2, "zu Ende."), "EIN OFFENER SATZ ZU ENDE.");
}

TEST(DaemonBadInput, BinaryFrameIsRejected) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port());
  client.send_binary(kTwoWords);
  EXPECT_EQ(how_it_ends(client), "bad-json error 4400");
}

TEST(DaemonBadInput, SentenceOfTwoThousandWordsIsSplit) {
  const DaemonProcess daemon({"--sentence-words", "20"});
  TestClient client = start_stream(daemon.port());
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += "wort ";
  }
  send(client, protocol::Source{1, text, {}});
  send(client, protocol::Finish{});
  std::string source;
  int notices = 0;
  for (const auto& message : client.read_to_end()) {
    if (type_of(message) == "error") {
      EXPECT_EQ(text_of(message, "code"), "sentence-too-long");
      ++notices;
    } else if (type_of(message) == "sentence") {
      source += text_of(message, "source") + " ";
    }
  }
  EXPECT_EQ(notices, 99);
  EXPECT_EQ(source, text);
  EXPECT_EQ(client.close_code(), 1000);
}

TEST(DaemonBadInput, FailedStepEndsOpenSentencesAndTheDaemonContinues) {
  const DaemonProcess daemon;
  TestClient open = start_stream(daemon.port());
  send(open, protocol::Source{1, "Ein offener Satz", {}});
  open.read_until("write");
  TestClient breaker = start_stream(daemon.port());
  send(breaker, protocol::Source{1, "xx-break", {}});
  EXPECT_EQ(how_it_ends(breaker), "internal error 1011");
  EXPECT_EQ(how_it_ends(open), "internal error 1011");
  TestClient next = start_stream(daemon.port());
  EXPECT_EQ(translate(next, 1, "Weiter."), "WEITER.");
}

TEST(DaemonBadInput, MessageOfAViewerIsRejected) {
  const DaemonProcess daemon;
  TestClient other(daemon.port(), "/v1/channels/main");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.send(kTwoWords);
  EXPECT_EQ(how_it_ends(viewer), "not-allowed error 4400");
  TestClient sender = start_stream(daemon.port(), "main");
  EXPECT_TRUE(other.read_until("state").at("sender").as_bool());
}

// A sentence's attention grows with the square of its length.
TEST(DaemonBadInput, AttentionDoesNotDisconnectItsSender) {
  constexpr int kWords = 600;
  constexpr int kTokens = 2 * kWords;  // a comma is one
  const DaemonProcess daemon(
      {"--limits-outgoing-bytes", "131072", "--sentence-words", std::to_string(kWords)});
  TestClient sender(daemon.port(), "/v1/stream", TestClient::SmallBuffer{});
  protocol::Start start = start_message({}, "full-sentence");
  start.attention = true;
  send(sender, start);
  std::string words;  // one sentence, whose attention is larger than all buffers on the way
  for (int i = 0; i < kWords; ++i) {
    words += "wort, ";
  }
  send(sender, protocol::Source{1, words, {}});
  send(sender, protocol::Finish());
  // Nothing is read until all is written.
  while (metric(daemon.port(), "surtitle_target_tokens_total") < kTokens) {
    ASSERT_EQ(metric(daemon.port(), "surtitle_errors_total{code=\"slow\"}"), 0);
  }
  int writes = 0;
  int attentions = 0;
  for (const boost::json::object& message : sender.read_to_end()) {
    writes += type_of(message) == "write" ? 1 : 0;
    attentions += type_of(message) == "attention" ? 1 : 0;
  }
  EXPECT_EQ(writes, kTokens);
  EXPECT_GT(attentions, 0);
  EXPECT_LT(attentions, kTokens);
  EXPECT_EQ(sender.close_code(), 1000);
}

TEST(DaemonBadInput, ViewerThatDoesNotReadIsDisconnectedAndOthersContinue) {
  const DaemonProcess daemon({"--limits-outgoing-messages", "256"});
  TestClient slow(daemon.port(), "/v1/channels/main", TestClient::SmallBuffer{});
  TestClient other(daemon.port(), "/v1/channels/main");
  TestClient sender = start_stream(daemon.port(), "main");
  int sentences = 0;
  while (metric(daemon.port(), "surtitle_errors_total{code=\"slow\"}") == 0) {
    ASSERT_LT(++sentences, 5000);
    translate(sender, sentences, "Ein Satz mit einigen Wörtern, die niemand liest.");
    EXPECT_EQ(number_of(other.read_until("sentence"), "sentence"), sentences - 1);
  }
  EXPECT_EQ(how_it_ends(slow), "slow slow 1013");
  EXPECT_EQ(translate(sender, ++sentences, "Weiter."), "WEITER.");
  EXPECT_EQ(text_of(other.read_until("sentence"), "target"), "WEITER.");
}

TEST(DaemonBadInput, SenderThatDoesNotReadIsNotReadAndThenDisconnected) {
  const DaemonProcess daemon({"--limits-outgoing-messages", "64", "--timeouts-idle", "1"});
  TestClient sender(daemon.port(), "/v1/stream", TestClient::SmallBuffer{});
  send(sender, start_message());
  std::string text;
  while (text.size() < 60'000) {
    text += "Ein Satz mit einigen Wörtern, die niemand liest. ";
  }
  const auto pour = [&] {
    for (int i = 1; i < 100'000; ++i) {  // more than all buffers on the way hold
      send(sender, protocol::Source{i, text, {}});
    }
  };
  EXPECT_THROW(pour(), std::runtime_error);  // the daemon cuts it off
  TestClient next = start_stream(daemon.port());
  EXPECT_EQ(translate(next, 1, "Weiter."), "WEITER.");
}

TEST(DaemonBadInput, ConnectionThatAnswersNoPingIsCut) {
  const DaemonProcess daemon({"--timeouts-idle", "0.1"});
  const std::string upgrade = "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n" + kUpgrade + "\r\n";
  const std::string answer = raw(daemon.port(), upgrade);  // returns because the daemon closes it
  EXPECT_THAT(answer, HasSubstr("101 Switching Protocols"));
  EXPECT_THAT(answer, HasSubstr("\x89"));  // a ping was sent
}

// All peers were silent for too long by then, but the daemon had sent no ping.
TEST(DaemonBadInput, DaemonThatWasStoppedCutsNoConnection) {
  constexpr int kIdle = 4;  // seconds
  const DaemonProcess daemon({"--timeouts-idle", std::to_string(kIdle)});
  TestClient sender = start_stream(daemon.port(), "main");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  daemon.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(kIdle + 1));
  daemon.signal(SIGCONT);
  EXPECT_EQ(translate(sender, 1, "Weiter."), "WEITER.");
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "WEITER.");
}

TEST(DaemonBadInput, InvalidFramesEndTheConnection) {
  const DaemonProcess daemon;
  TestClient bystander = start_stream(daemon.port());
  RawWebsocket socket(daemon.port());
  socket.send(std::string(1000, '\xFF'));
  EXPECT_EQ(socket.rest(), "close(1002)");
  raw(daemon.port(), std::string(100'000, '\x01'));
  raw(daemon.port(), "GET / HTTP/1.1\r\nA: " + std::string(100'000, 'a') + "\r\n\r\n");
  EXPECT_EQ(translate(bystander, 1, "Weiter."), "WEITER.");
}

}  // namespace
}  // namespace surtitle
