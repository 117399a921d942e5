// A strict reader of OpenMetrics 1.0.0: what breaks a rule of the text format throws.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct OpenMetricsSample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct OpenMetricsFamily {
  std::string type;
  std::string unit;
  std::string help;
  std::vector<OpenMetricsSample> samples;
};

// By name. Throws std::runtime_error: the line and what is wrong with it.
std::map<std::string, OpenMetricsFamily> read_openmetrics(std::string_view text);

}  // namespace surtitle
