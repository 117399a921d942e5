// The text format of OpenMetrics, and the choice between it and Prometheus' format.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

inline constexpr std::string_view kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
inline constexpr std::string_view kTextMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// Returns the families as OpenMetrics 1.0.0. A family whose name ends in a unit has a UNIT line.
std::string to_openmetrics(const std::vector<prometheus::MetricFamily>& families);

// Whether a client with this Accept header prefers OpenMetrics 1.0.0 to text. Equal preference
// counts, too.
bool prefers_openmetrics(std::string_view accept);

}  // namespace surtitle
