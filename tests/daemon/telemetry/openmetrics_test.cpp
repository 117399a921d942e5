#include "daemon/telemetry/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/daemon/support/openmetrics.h"

namespace surtitle {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using ::testing::HasSubstr;

MetricFamily family(std::string name, MetricType type, ClientMetric metric) {
  return {std::move(name), "What \"it\" is\nby \\", type, {std::move(metric)}};
}

TEST(Exposition, WritesOpenMetrics) {
  ClientMetric counter;
  counter.label = {{"code", "a \"b\" \\ \n"}};
  counter.counter.value = 3;
  ClientMetric gauge;
  gauge.gauge.value = 0.25;
  ClientMetric histogram;
  histogram.histogram = {3, 1.5, {{1, 0.5}, {2, 1}, {3, INFINITY}}};
  ClientMetric info;
  info.label = {{"version", "1"}};
  info.gauge.value = 1;
  const std::string text =
      to_openmetrics({family("t_words_total", MetricType::Counter, counter),
                      family("t_load_ratio", MetricType::Gauge, gauge),
                      family("t_step_seconds", MetricType::Histogram, histogram),
                      family("t_build_info", MetricType::Gauge, info)});
  EXPECT_EQ(text,
            "# TYPE t_words counter\n# UNIT t_words words\n"
            "# HELP t_words What \\\"it\\\" is\\nby \\\\\n"
            "t_words_total{code=\"a \\\"b\\\" \\\\ \\n\"} 3.0\n"
            "# TYPE t_load_ratio gauge\n# UNIT t_load_ratio ratio\n"
            "# HELP t_load_ratio What \\\"it\\\" is\\nby \\\\\nt_load_ratio 0.25\n"
            "# TYPE t_step_seconds histogram\n# UNIT t_step_seconds seconds\n"
            "# HELP t_step_seconds What \\\"it\\\" is\\nby \\\\\n"
            "t_step_seconds_bucket{le=\"0.5\"} 1.0\nt_step_seconds_bucket{le=\"1.0\"} 2.0\n"
            "t_step_seconds_bucket{le=\"+Inf\"} 3.0\nt_step_seconds_count 3.0\n"
            "t_step_seconds_sum 1.5\n"
            "# TYPE t_build info\n# HELP t_build What \\\"it\\\" is\\nby \\\\\n"
            "t_build_info{version=\"1\"} 1.0\n# EOF\n");
  EXPECT_EQ(read_openmetrics(text).size(), 4U);
}

TEST(Exposition, ParserOfTheTestsFindsViolations) {
  const std::string good = "# TYPE a counter\n# HELP a x\na_total 1\n# EOF\n";
  EXPECT_NO_THROW(read_openmetrics(good));
  for (const std::string bad :
       {"# TYPE a counter\n# HELP a x\na_total 1\n", "# TYPE a counter\n# HELP a x\na 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total 1\na_total 1\n# EOF\n",
        "# TYPE a_s gauge\n# UNIT a_s seconds\n# HELP a_s x\na_s 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a x\na{b=c} 1\n# EOF\n", "a 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a x\n\na 1\n# EOF\n",
        "# TYPE h histogram\n# HELP h x\nh_bucket{le=\"1\"} 1\nh_count 1\nh_sum 1\n# EOF\n",
        "# TYPE h histogram\n# HELP h x\nh_bucket{le=\"+Inf\"} 2\nh_count 1\nh_sum 1\n# EOF\n"}) {
    EXPECT_THROW(read_openmetrics(bad), std::runtime_error) << bad;
  }
}

TEST(Exposition, IsChosenByAccept) {
  EXPECT_TRUE(prefers_openmetrics(
      "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;"
      "q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
  EXPECT_TRUE(prefers_openmetrics("application/openmetrics-text; version=1.0.0"));
  EXPECT_TRUE(prefers_openmetrics("Application/OpenMetrics-Text"));
  EXPECT_FALSE(prefers_openmetrics(""));
  EXPECT_FALSE(prefers_openmetrics("*/*"));
  EXPECT_FALSE(prefers_openmetrics("application/openmetrics-text;version=0.0.1"));
  EXPECT_FALSE(prefers_openmetrics("application/openmetrics-text;q=0"));
  EXPECT_FALSE(prefers_openmetrics("application/openmetrics-text;q=0.2,text/plain;q=0.9"));
  EXPECT_FALSE(prefers_openmetrics(";;,,q=1;="));
}

}  // namespace
}  // namespace surtitle
