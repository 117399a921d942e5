#include "daemon/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>
#include <functional>
#include <string>

namespace surtitle {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string logged(LogFormat format, LogLevel level, const std::function<void()>& write) {
  const auto before = spdlog::default_logger();
  log_to_stderr(format, level);
  testing::internal::CaptureStderr();
  write();
  std::string text = testing::internal::GetCapturedStderr();
  spdlog::set_default_logger(before);
  return text;
}

void write_warning() {
  log(LogLevel::kWarning, "a \"sentence\"\nof two lines",
      {{"stream", "s-1"}, {"words", 3}, {"delay", 1.5}, {"error", "no \"room\" left\n"}});
}

TEST(Log, WritesText) {
  const std::string line = logged(LogFormat::kText, LogLevel::kInfo, write_warning);
  EXPECT_THAT(line, ContainsRegex("^20[0-9-]+T[0-9:]+[.][0-9]{3}[+-][0-9]{2}:[0-9]{2} warning a "));
  EXPECT_THAT(line, EndsWith(" warning a \"sentence\" of two lines stream=s-1 words=3 delay=1.5 "
                             "error=\"no \\\"room\\\" left\\n\"\n"));
}

TEST(Log, WritesJson) {
  const std::string line = logged(LogFormat::kJson, LogLevel::kInfo, write_warning);
  EXPECT_THAT(line, StartsWith("{\"time\":\"20"));
  const auto fields = boost::json::parse(line).as_object();
  EXPECT_EQ(fields.at("level").as_string(), "warning");
  EXPECT_EQ(fields.at("message").as_string(), "a \"sentence\"\nof two lines");
  EXPECT_EQ(fields.at("stream").as_string(), "s-1");
  EXPECT_EQ(fields.at("words").as_int64(), 3);
  EXPECT_EQ(fields.at("error").as_string(), "no \"room\" left\n");
}

TEST(Log, FormatsMessagesOfSpdlog) {
  const std::string line =
      logged(LogFormat::kJson, LogLevel::kInfo, [] { spdlog::error("a {}", "b"); });
  EXPECT_THAT(line, EndsWith("\"level\":\"error\",\"message\":\"a b\"}\n"));
}

TEST(Log, DropsMessagesBelowItsLevel) {
  EXPECT_EQ(logged(LogFormat::kText, LogLevel::kError, write_warning), "");
  EXPECT_EQ(logged(LogFormat::kText, LogLevel::kOff, write_warning), "");
  EXPECT_THAT(logged(LogFormat::kText, LogLevel::kError,
                     [] {
                       set_log_level(LogLevel::kDebug);
                       log(LogLevel::kDebug, "small");
                     }),
              HasSubstr(" debug small\n"));
  EXPECT_EQ(log_level_by_name("warning"), LogLevel::kWarning);
  EXPECT_EQ(log_level_by_name("loud"), std::nullopt);
  EXPECT_EQ(name(LogLevel::kOff), "off");
}

}  // namespace
}  // namespace surtitle
