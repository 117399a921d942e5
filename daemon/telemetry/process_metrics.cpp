#include "daemon/telemetry/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace surtitle {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// Fields of /proc/PID/stat, with the numbers of proc(5). They begin at the third, after the name of
// the program, which may contain spaces.
class ProcessStat {
 public:
  ProcessStat() {
    std::ifstream in("/proc/self/stat");
    std::string all;
    std::getline(in, all);
    std::istringstream rest(all.substr(std::min(all.rfind(')') + 1, all.size())));
    for (std::string field; rest >> field;) {
      fields_.push_back(field);
    }
  }
  double at(std::size_t number) const {
    constexpr std::size_t kFirst = 3;
    return number - kFirst < fields_.size() ? std::atof(fields_[number - kFirst].c_str()) : 0;
  }

 private:
  std::vector<std::string> fields_;
};

double boot_time() {
  std::ifstream in("/proc/stat");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("btime ")) {
      return std::atof(line.c_str() + 6);
    }
  }
  return 0;
}

double open_files() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator one("/proc/self/fd", error), end; !error && one != end;
       one.increment(error)) {
    ++count;
  }
  return count;
}

double most_files() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

MetricFamily family(std::string name, std::string help, MetricType type, double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {std::move(name), std::move(help), type, {metric}};
}

}  // namespace

std::vector<MetricFamily> process_metrics() {
  constexpr std::size_t kUserTime = 14;
  constexpr std::size_t kSystemTime = 15;
  constexpr std::size_t kThreads = 20;
  constexpr std::size_t kStartTime = 22;
  constexpr std::size_t kVirtualMemory = 23;
  constexpr std::size_t kResidentPages = 24;
  const ProcessStat stat;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto gauge = [](const char* name, const char* help, double value) {
    return family(name, help, MetricType::Gauge, value);
  };
  return {
      family("process_cpu_seconds_total", "Processor time, user and system", MetricType::Counter,
             (stat.at(kUserTime) + stat.at(kSystemTime)) / ticks),
      gauge("process_resident_memory_bytes", "Resident memory", stat.at(kResidentPages) * page),
      gauge("process_virtual_memory_bytes", "Virtual memory", stat.at(kVirtualMemory)),
      gauge("process_start_time_seconds", "Start of the process, in seconds since 1970",
            boot_time() + stat.at(kStartTime) / ticks),
      gauge("process_open_fds", "Open file descriptors", open_files()),
      gauge("process_max_fds", "Limit of open file descriptors", most_files()),
      gauge("process_threads", "Threads", stat.at(kThreads)),
  };
}

}  // namespace surtitle
