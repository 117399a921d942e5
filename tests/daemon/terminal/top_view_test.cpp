#include "daemon/terminal/top_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const char* const kBefore = R"(# HELP surtitle_streams x
surtitle_streams 1
surtitle_source_words_total 100
surtitle_write_delay_seconds_bucket{le="0.01"} 10
surtitle_write_delay_seconds_bucket{le="0.1"} 10
surtitle_write_delay_seconds_bucket{le="+Inf"} 10
surtitle_batch_size_sum{model="a"} 5
surtitle_batch_size_count{model="a"} 5
)";
const char* const kNow = R"(surtitle_streams 2
surtitle_source_words_total 150
surtitle_write_delay_seconds_bucket{le="0.01"} 20
surtitle_write_delay_seconds_bucket{le="0.1"} 29
surtitle_write_delay_seconds_bucket{le="+Inf"} 30
surtitle_batch_size_sum{model="a"} 35
surtitle_batch_size_count{model="a"} 15
surtitle_model_load_ratio{model="a"} 0.25
surtitle_model_load_ratio{model="b"} 0
surtitle_stalled{thread="a"} 1
surtitle_stalled{thread="network"} 0
surtitle_errors_total{code="overloaded"} 4
surtitle_errors_total{code="slow"} 1
)";
const char* const kStreams =
    R"({"total":1,"streams":[{"stream":"s-1","channel":"main","attached":false,"model":"a",
"policy":"gma:delta=1","tracks":1,"age_seconds":7300,"words_in":5,"words_out":4,
"delay_p50_ms":1.5,"delay_p99_ms":null}]})";

TopView view() { return make_top_view(MetricsScrape(kNow), MetricsScrape(kBefore), 2, kStreams); }

TEST(TopView, HasTheDifferencesOfTwoReadings) {
  const TopView seen = view();
  EXPECT_EQ(seen.streams, 2);
  EXPECT_EQ(seen.words_in, 25);
  EXPECT_NEAR(*seen.delay_p50_ms, 10, 1e-9);
  EXPECT_EQ(seen.delay_p99_ms, 100);  // beyond the last bucket: its lower bound
  EXPECT_EQ(seen.overloaded, 4);
  EXPECT_THAT(seen.stalled, ElementsAre("a"));
  ASSERT_THAT(seen.models, SizeIs(2));
  EXPECT_EQ(seen.models[0].batch, 3);
  EXPECT_EQ(seen.models[1].batch, std::nullopt);
  EXPECT_EQ(MetricsScrape(kNow).sum("surtitle_errors_total"), 5);
}

TEST(TopView, FitsItsScreen) {
  const auto all = to_screen(view(), "ws://here", 200, 100);
  EXPECT_THAT(all.front(), HasSubstr("ws://here"));
  EXPECT_THAT(all, ::testing::Contains("STALLED    thread a"));
  EXPECT_THAT(all.back(), HasSubstr("2.0 h"));
  EXPECT_THAT(all.back(), HasSubstr("detached"));
  for (const int size : {0, 1, 10, 24}) {
    const auto some = to_screen(view(), "ws://here", size, size);
    EXPECT_LE(some.size(), static_cast<std::size_t>(size));
    for (const std::string& line : some) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(size));
    }
  }
}

TEST(TopView, RejectsAnInvalidList) {
  for (const char* bad : {"", "[]", "{}", R"({"streams":[{}]})", R"({"streams":[1]})"}) {
    EXPECT_THROW(make_top_view(MetricsScrape(kNow), MetricsScrape(""), 1, bad), std::runtime_error)
        << bad;
  }
}

}  // namespace
}  // namespace surtitle
