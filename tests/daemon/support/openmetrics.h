// A strict parser of OpenMetrics 1.0.0: a violation of the text format throws.
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

// Returns the families by name. Throws std::runtime_error with the violation and its line.
std::map<std::string, OpenMetricsFamily> read_openmetrics(std::string_view text);

}  // namespace surtitle
