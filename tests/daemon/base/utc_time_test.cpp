#include "daemon/base/utc_time.h"

#include <gtest/gtest.h>

#include <random>

namespace surtitle {
namespace {

TEST(UtcTime, ReadsBackAsItWasWritten) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> milliseconds(0, 7'258'118'399'999);
  for (int i = 0; i < 10'000; ++i) {
    const CalendarTime time = calendar_time(milliseconds(random));
    EXPECT_EQ(parse_utc_time(utc_time(time)), time) << utc_time(time);
  }
  EXPECT_EQ(utc_time(calendar_time(0)), "1970-01-01T00:00:00.000Z");
}

TEST(UtcTime, RejectsEverythingElse) {
  for (const char* text :
       {"", "2026-11-22", "2026-11-22T03:36:55Z", "2026-13-22T03:36:55.123Z",
        "2026-02-30T03:36:55.123Z", "2026-11-22T24:36:55.123Z", "2026-11-22T03:60:55.123Z",
        "2026-11-22T03:36:55.123z", "2026-11-22T03:36:55.-23Z", "9999-11-22T03:36:55.123Z",
        "1969-11-22T03:36:55.123Z", "2026-11-22T03:36:55.1234Z", "+026-11-22T03:36:55.123Z"}) {
    EXPECT_EQ(parse_utc_time(text), std::nullopt) << text;
  }
  std::mt19937 random(1);
  std::string text = "2026-11-22T03:36:55.123Z";
  for (int i = 0; i < 10'000; ++i) {
    text[random() % text.size()] = static_cast<char>(' ' + random() % 95);
    const auto time = parse_utc_time(text);
    EXPECT_TRUE(!time || utc_time(*time) == text) << text;
  }
}

TEST(UtcTime, LimitsTimesThatTheCalendarCannotHold) {
  EXPECT_EQ(utc_time(calendar_time(std::numeric_limits<std::int64_t>::max())),
            "2200-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_time(calendar_time(-1)), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace surtitle
