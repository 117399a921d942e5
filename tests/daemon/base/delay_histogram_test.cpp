// Quantiles of delays.
#include "daemon/base/delay_histogram.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(DelayHistogram, HasQuantilesWithinAFifth) {
  DelayHistogram delays;
  EXPECT_EQ(delays.quantile(0.5), std::nullopt);
  for (int i = 1; i <= 1000; ++i) {
    delays.add(Seconds(i / 1000.0));
  }
  for (const double share : {0.05, 0.5, 0.95, 1.0}) {
    EXPECT_GE(delays.quantile(share)->count(), share * 0.999);
    EXPECT_LE(delays.quantile(share)->count(), share * 1.21);
  }
  delays.add(Seconds(1e9));
  delays.add(Seconds(-1));
  EXPECT_EQ(delays.count(), 1002U);
}

}  // namespace
}  // namespace surtitle
