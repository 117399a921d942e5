// The daemon as a process that cannot translate more: new streams are rejected, others continue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/overload.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

TEST(Overload, RejectsNewStreamsAndOthersContinue) {
  const DaemonProcess daemon(kSlow);
  std::vector<TestClient> streams;
  const std::vector<boost::json::object> told = fill(daemon.port(), streams);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(text_of(told[0], "code"), "overloaded");
  EXPECT_THAT(text_of(told[0], "message"),
              HasSubstr("the daemon cannot translate another stream in time: the load of "));
  EXPECT_GE(number_of(told[0], "retry_seconds"), 5);
  EXPECT_EQ(text_of(told[1], "reason"), "error");
  EXPECT_EQ(metric(daemon.port(), kRefused), 1);
  ASSERT_FALSE(streams.empty());
  for (TestClient& stream : streams) {
    EXPECT_EQ(translate(stream, 1, "Guten Tag."), "GUTEN TAG.");
  }
}

TEST(Overload, IsAnswered503OverHttp) {
  const DaemonProcess daemon(kForOne);
  std::vector<TestClient> streams;
  fill(daemon.port(), streams);
  const HttpAnswer translated = ask_json(daemon.port(), "POST /translate HTTP/1.1",
                                         R"({"q": "Guten Tag.", "source": "de", "target": "en"})");
  EXPECT_EQ(translated.status, 503);
  EXPECT_THAT(translated.headers, HasSubstr("\r\nRetry-After: "));
  EXPECT_THAT(translated.body, HasSubstr("cannot translate another stream in time"));
  const HttpAnswer evaluated = ask_http(daemon.port(), "POST /reset HTTP/1.1");
  EXPECT_EQ(evaluated.status, 503);
  EXPECT_THAT(evaluated.headers, HasSubstr("\r\nRetry-After: "));
  EXPECT_EQ(metric(daemon.port(), kRefused), 3);
}

// A text that takes ten seconds of the model's time arrives at once. Its words are late by seconds,
// but no other stream's are. It takes longer than the windows in which load and delay are measured.
TEST(Overload, IsNotCausedByWordsAheadOfSpeech) {
  const DaemonProcess daemon(
      {"--models", "steady", "--admission-max-load", "0.9", "--admission-max-delay-p95", "200"});
  TestClient hasty(daemon.port(), "/v1/stream");
  send(hasty, start_message());
  hasty.read_until("ready");
  std::string text;
  for (int sentence = 0; sentence < 300; ++sentence) {
    text += "Guten Tag. ";
  }
  send(hasty, protocol::Source{1, text, {}});
  for (int sentence = 0; sentence < 75; ++sentence) {
    hasty.read_until("sentence");
  }
  TestClient speaker(daemon.port(), "/v1/stream");
  send(speaker, start_message());
  EXPECT_EQ(type_of(speaker.read_until("ready")), "ready");
  EXPECT_EQ(translate(speaker, 1, "Guten Tag."), "GUTEN TAG.");
  EXPECT_EQ(metric(daemon.port(), kRefused), 0);
}

TEST(Overload, AcceptsReturningSenders) {
  const DaemonProcess daemon(kSlow);
  TestClient first(daemon.port(), "/v1/stream");
  send(first, start_message());
  const boost::json::object ready = first.read_until("ready");
  std::vector<TestClient> streams;
  fill(daemon.port(), streams);
  protocol::Start again = start_message();
  again.resume =
      protocol::Resume{text_of(ready, "stream"), text_of(ready.at("resume").as_object(), "key")};
  TestClient second(daemon.port(), "/v1/stream");
  send(second, again);
  second.read_until("ready");
  EXPECT_EQ(translate(second, 1, "Guten Tag."), "GUTEN TAG.");
}

TEST(Overload, EndsOnceStreamsEnd) {
  const DaemonProcess daemon(kSlow);
  {
    std::vector<TestClient> streams;
    fill(daemon.port(), streams);
    while (metric(daemon.port(), "surtitle_admission_closed") == 0) {
    }
    for (TestClient& stream : streams) {
      stream.close();
    }
  }
  std::vector<TestClient> streams;
  while (streams.empty()) {
    fill(daemon.port(), streams);
  }
  EXPECT_EQ(translate(streams.front(), 1, "Guten Tag."), "GUTEN TAG.");
}

TEST(Overload, IsNeverReportedIfAdmissionIsOff) {
  std::vector<std::string> flags = kSlow;
  flags.back() = "0";  // the delay
  const DaemonProcess daemon(flags);
  constexpr int kMany = 8;
  std::vector<TestClient> streams;
  streams.reserve(kMany);
  for (int i = 0; i < kMany; ++i) {
    streams.push_back(start_stream(daemon.port()));
  }
  EXPECT_EQ(translate(streams.back(), 1, "Guten Tag."), "GUTEN TAG.");
}

}  // namespace
}  // namespace surtitle
