#include "model/util/processors.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

namespace surtitle {
namespace {

namespace fs = std::filesystem;

// The call fails if the machine has more processors than the mask has bits.
int processors_of_affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    return CPU_COUNT(&mask);
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The line of version 2 is "0::/path"; other lines are of version 1.
std::optional<fs::path> group_of(std::string_view memberships) {
  std::istringstream lines{std::string(memberships)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) {
      return fs::path(line.substr(4));
    }
  }
  return std::nullopt;
}

// "150000 100000": microseconds in each period; "max 100000": no limit.
std::optional<double> granted_by(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || !(quota > 0) || !(period > 0)) {
    return std::nullopt;
  }
  return quota / period;
}

}  // namespace

std::optional<double> granted_processors(std::string_view memberships, const fs::path& root) {
  const std::optional<fs::path> group = group_of(memberships);
  if (!group) {
    return std::nullopt;
  }
  std::optional<double> least = granted_by(root);
  fs::path folder = root;
  for (const fs::path& part : *group) {
    folder /= part;
    if (const auto granted = granted_by(folder); granted && (!least || *granted < *least)) {
      least = granted;
    }
  }
  return least;
}

int available_processors() {
  std::ifstream memberships("/proc/self/cgroup");
  const std::string text(std::istreambuf_iterator<char>{memberships}, {});
  return whole_processors(processors_of_affinity(), granted_processors(text, "/sys/fs/cgroup"));
}

int whole_processors(int affinity, std::optional<double> granted) {
  const double most = affinity;
  return std::max(static_cast<int>(std::min(most, granted.value_or(most))), 1);
}

int thread_count(int wanted) { return wanted > 0 ? wanted : available_processors(); }

}  // namespace surtitle
