// Latency metrics compared with numbers of the reference implementations.

#include <gtest/gtest.h>

#include "metrics/instance_log.h"
#include "metrics/latency.h"
#include "tests/metrics/golden.h"

namespace surtitle {
namespace {

constexpr double kTolerance = 1e-9;

// Compares every metric for which the golden line has a number or null.
void expect_scores(const LatencyScores& scores, const boost::json::object& golden) {
  int compared = 0;
  for (const LatencyMetric& metric : kLatencyMetrics) {
    SCOPED_TRACE(metric.name);
    const boost::json::value* expected = golden.if_contains(metric.name);
    if (expected == nullptr) {
      continue;
    }
    ++compared;
    const std::optional<double>& found = scores.*metric.value;
    ASSERT_EQ(found.has_value(), !expected->is_null());
    if (found) {
      EXPECT_NEAR(*found, expected->to_number<double>(), kTolerance);
    }
  }
  EXPECT_GE(compared, 4);
}

TEST(golden_latency, EveryInstanceOfEveryFileAgrees) {
  const auto files = golden::jsonl_files(golden::golden_folder(), "latency_");
  ASSERT_FALSE(files.empty()) << "no latency_*.jsonl in " << golden::golden_folder();
  for (const auto& file : files) {
    const auto instances = read_instances(file);
    const auto lines = golden::read_jsonl(file);
    ASSERT_EQ(instances.size(), lines.size()) << file;
    ASSERT_FALSE(instances.empty()) << file;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      SCOPED_TRACE(file.string() + ":" + std::to_string(i + 1));
      EXPECT_EQ(instances[i].index, lines[i].at("index").to_number<int>());
      expect_scores(latency(instances[i]), lines[i].at("metrics").as_object());
    }
  }
}

TEST(golden_latency, MeterFedOneWriteAtATimeAgrees) {
  LatencyMeter meter;
  for (const auto& file : golden::jsonl_files(golden::golden_folder(), "latency_")) {
    const auto lines = golden::read_jsonl(file);
    const auto instances = read_instances(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      SCOPED_TRACE(file.string() + ":" + std::to_string(i + 1));
      meter.reset();
      for (const double delay : instances[i].delays) {
        meter.write(delay);
      }
      const SourceSpan source(instances[i].source_length,
                              instances[i].recording_end.value_or(SourceSpan::kNever));
      expect_scores(meter.scores(source, instances[i].reference_length),
                    lines[i].at("metrics").as_object());
    }
  }
}

}  // namespace
}  // namespace surtitle
