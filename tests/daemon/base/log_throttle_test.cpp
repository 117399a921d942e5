#include "daemon/base/log_throttle.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(LogThrottle, WritesAtOnceAndThenEveryTenSeconds) {
  LogThrottle warning;
  const TimePoint begin = TimePoint() + std::chrono::hours(1);
  EXPECT_EQ(warning.record("full", begin), "full");
  EXPECT_EQ(warning.record("full", begin), std::nullopt);
  EXPECT_EQ(warning.record("full", begin + std::chrono::milliseconds(9999)), std::nullopt);
  EXPECT_EQ(warning.record("full", begin + std::chrono::seconds(10)),
            "full (and 2 times since the last such line)");
  EXPECT_EQ(warning.record("full", begin + std::chrono::seconds(30)), "full");
}

}  // namespace
}  // namespace surtitle
