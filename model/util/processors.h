// How many threads can work at once: what of the machine's processors this process was given.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace surtitle {

// Those of the calling thread's affinity mask, and no more than its control groups grant: at least
// 1. Thread-safety: any thread.
int available_processors();

// `wanted`, or one for each available processor where it is 0.
int threads_or_processors(int wanted);

// Of `affinity` processors, those whose whole time was granted: at least 1. With more threads, a
// container uses its time up before a period of its group ends, and all of them stop until the
// next.
int whole_processors(int affinity, std::optional<double> granted);

// Processors' time that cpu.max of control groups (cgroup v2) grants a process, the least of its
// group's and of those above it, in processors: 1.5. `memberships` is the process's own list
// (/proc/self/cgroup), `root` the folder of all groups (/sys/fs/cgroup). None where nothing is
// limited, or cannot be read. Linux, Documentation/admin-guide/cgroup-v2.rst, "CPU Interface
// Files".
std::optional<double> granted_processors(std::string_view memberships,
                                         const std::filesystem::path& root);

}  // namespace surtitle
