// Number of processors that this process may use.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace surtitle {

// Returns the number of processors in the calling thread's affinity mask, limited by its control
// groups; at least 1. Thread-safety: may be called from any thread.
int available_processors();

// Returns `wanted`, or available_processors() if it is 0.
int thread_count(int wanted);

// Returns how many of `affinity` processors are granted for the whole time; at least 1. With more
// threads, a container uses up its time before a period of its group ends, and all its threads stop
// until the next period.
int whole_processors(int affinity, std::optional<double> granted);

// Returns the processor time that cpu.max of control groups (cgroup v2) grants a process, such as
// 1.5 processors. It is the least over the process's group and those above it. Returns nullopt if
// there is no limit or none can be read. `memberships` is the content of /proc/self/cgroup, `root`
// the folder of all groups (/sys/fs/cgroup). See Documentation/admin-guide/cgroup-v2.rst of Linux,
// "CPU Interface Files".
std::optional<double> granted_processors(std::string_view memberships,
                                         const std::filesystem::path& root);

}  // namespace surtitle
