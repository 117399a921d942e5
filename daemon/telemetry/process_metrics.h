// The system's metrics of the process, under the names of Prometheus' client libraries.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace surtitle {

// Returns process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_start_time_seconds, process_open_fds, process_max_fds, process_threads.
std::vector<prometheus::MetricFamily> process_metrics();

}  // namespace surtitle
