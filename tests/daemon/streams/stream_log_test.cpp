#include "daemon/streams/stream_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "daemon/base/utc_time.h"

namespace surtitle {
namespace {

using stream_log::Line;
using ::testing::HasSubstr;

stream_log::Head head() {
  return {"2026-11-22T03:36:55.123Z",
          "s-0123456789abcdef",
          "main",
          "de",
          TextForm::kSpoken,
          {{"", "en", "de-en-gma", "gma:delta=1"}, {"fr", "fr", "de-fr", "auto:lag=3"}}};
}

Line parsed(const std::string& text) {
  auto line = stream_log::parse_line(text);
  EXPECT_FALSE(std::holds_alternative<std::string>(line)) << std::get<std::string>(line);
  return std::get<std::optional<Line>>(std::move(line)).value();
}

std::string problem(const std::string& text) {
  const auto line = stream_log::parse_line(text);
  const auto* found = std::get_if<std::string>(&line);
  return found == nullptr ? "no problem" : *found;
}

TEST(StreamLogFormat, ReadsWhatItWrites) {
  EXPECT_EQ(std::get<stream_log::Head>(parsed(to_json(head()))), head());
  const stream_log::SentenceEnd end{3, 1200.5};
  EXPECT_EQ(std::get<stream_log::SentenceEnd>(parsed(to_json(end))), end);
  const stream_log::FormChange form{TextForm::kSpoken};
  EXPECT_EQ(std::get<stream_log::FormChange>(parsed(to_json(form))), form);
  const stream_log::End over{protocol::ByeReason::kSenderLeft, 99.5, 12};
  EXPECT_EQ(std::get<stream_log::End>(parsed(to_json(over))), over);
  const protocol::Write write{0, 1, " morning", 3, 2, 50.1, "fr", 1.5};
  EXPECT_EQ(std::get<protocol::Write>(std::get<protocol::ServerMessage>(parsed(to_json(write)))),
            write);
}

TEST(StreamLogFormat, IsRecognisedByItsFirstLine) {
  EXPECT_TRUE(stream_log::is_head(to_json(head())));
  EXPECT_TRUE(stream_log::is_head(R"({"version": 7, "type": "stream_log"})"));
  EXPECT_FALSE(stream_log::is_head(R"({"time": 1, "text": "stream_log"})"));
  EXPECT_FALSE(stream_log::is_head("stream_log"));
}

TEST(StreamLogFormat, ErrorsNameTheProblemAndAllowedValues) {
  EXPECT_THAT(problem("gut"), HasSubstr("not valid JSON"));
  EXPECT_THAT(problem("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(problem(R"({"type":"end","reason":"tired","time":1,"words":2})"),
              HasSubstr("finished, draining, sender-left, error or slow"));
  EXPECT_THAT(problem(R"({"type":"stream_log","version":2,"started":"","stream":"","source":"de",)"
                      R"("source_form":"written",)"
                      R"("tracks":[{"name":"","target":"en","model":"","policy":""}]})"),
              HasSubstr("'version' of stream_log must be 1"));
  EXPECT_THAT(problem(R"({"type":"write","sentence":0})"), HasSubstr("'index'"));
}

TEST(StreamLogFormat, SkipsUnknownTypes) {
  const auto line = stream_log::parse_line(R"({"type":"attention","sentence":0})");
  EXPECT_FALSE(std::get<std::optional<Line>>(line).has_value());
}

TEST(StreamLog, IsNamedByTimeChannelAndStream) {
  stream_log::Head named = head();
  EXPECT_EQ(stream_log_name(named), "2026-11-22T03-36-55Z-main-s-01234567.jsonl");
  named.channel.reset();
  EXPECT_EQ(stream_log_name(named), "2026-11-22T03-36-55Z-s-01234567.jsonl");
  named.channel = "..";
  EXPECT_EQ(stream_log_name(named), "2026-11-22T03-36-55Z-..-s-01234567.jsonl");
}

TEST(StreamLog, FormatsTimeToTheMillisecond) {
  const std::chrono::system_clock::time_point time{std::chrono::milliseconds(1795318615007)};
  EXPECT_EQ(utc_time(time), "2026-11-22T03:36:55.007Z");
}

}  // namespace
}  // namespace surtitle
