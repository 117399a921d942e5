// What the system says of the process, by the names that all of Prometheus' libraries use.
//
// Thread-safety: full.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace surtitle {

// process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_start_time_seconds, process_open_fds, process_max_fds, process_threads.
std::vector<prometheus::MetricFamily> process_metrics();

}  // namespace surtitle
