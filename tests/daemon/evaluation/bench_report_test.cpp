#include "daemon/evaluation/bench_report.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace surtitle {
namespace {

using ::testing::HasSubstr;

WorkTimes work() {
  WorkTimes times;
  times.batches = {{.batch = 10, .time = {.median = 0.002, .least = 0.001}}};
  times.growth = {{.batch = 1, .brief = {.median = 1e-4}, .grown = {.median = 3e-4}}};
  times.stages = {{.batch = 64}};
  times.stages.front().shares[static_cast<std::size_t>(Stage::kFeedForward)] = 1;
  return times;
}

BenchReport report() {
  BenchReport result;
  result.model = "de-en-gma";
  result.device = "cpu";
  result.precision = "int8";
  result.load = 0.5;
  result.cost.decode = {.byte_operations = 4e6, .float_operations = 1e6, .weight_bytes = 3e6};
  result.cost.encode = result.cost.decode;
  result.cost.table_bytes = 8e6;
  result.sentence_bytes = 600'000;
  result.times.decode = work();
  result.times.encode = work();
  return result;
}

TEST(BenchReport, JsonHasTimesAndRates) {
  const auto json = boost::json::parse(to_json(report()));
  const auto number = [&](const char* at) { return json.at_pointer(at).to_number<double>(); };
  EXPECT_EQ(json.at("model"), "de-en-gma");
  EXPECT_EQ(number("/decode/batches/0/batch"), 10);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/ms"), 2);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/least_ms"), 1);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/tokens_per_second"), 5000);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/us_per_token"), 200);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/gops"), 25);
  EXPECT_DOUBLE_EQ(number("/decode/batches/0/weights_gbps"), 1.5);
  EXPECT_DOUBLE_EQ(number("/encode/growth/0/ratio"), 3);
  EXPECT_EQ(number("/encode/stages/0/feed_forward"), 1);
  EXPECT_EQ(number("/memory/sentence_bytes"), 600'000);
  EXPECT_TRUE(json.at_pointer("/memory/sentence_resident_bytes").is_null());
}

TEST(BenchReport, OnCudaHasSharesOfTheCopyRate) {
  BenchReport cuda = report();
  cuda.copy_rate = 1e12;
  cuda.cost.decode.cached_bytes = 7e5;
  const auto json = boost::json::parse(to_json(cuda));
  EXPECT_EQ(json.at("copy_gbps").to_number<double>(), 1000);
  // 3 MB of weights and 7 MB of keys and values in 2 ms.
  EXPECT_DOUBLE_EQ(json.at_pointer("/decode/batches/0/memory_share").to_number<double>(), 0.005);
  EXPECT_THAT(to_table(cuda), HasSubstr("copies 1000.0 GB/s\n"));
  EXPECT_THAT(to_table(cuda), HasSubstr("     1.50    0.5\n"));
}

TEST(BenchReport, TableHasAHeadingForEachPart) {
  const std::string table = to_table(report());
  for (const char* heading :
       {"\ndecode ", "\nencode ", "\nus/token at length ", "\nshare of time, % ", "\nmemory\n"})
    EXPECT_THAT(table, HasSubstr(heading));
  EXPECT_THAT(table, HasSubstr("          10     2.000     1.000      5000    200.00"));
}

}  // namespace
}  // namespace surtitle
