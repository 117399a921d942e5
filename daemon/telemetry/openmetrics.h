// What is measured, as programs that collect it read it.
//
// Thread-safety: pure functions.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

inline constexpr std::string_view kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
inline constexpr std::string_view kTextMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// OpenMetrics 1.0.0. Families whose names end in a unit tell it.
std::string to_openmetrics(const std::vector<prometheus::MetricFamily>& families);

// Whether who sends this field Accept would rather have OpenMetrics 1.0.0 than text.
bool prefers_openmetrics(std::string_view accept);

}  // namespace surtitle
