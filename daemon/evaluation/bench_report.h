// The results of `surtitle bench`, as a table and as JSON.
//
// tests/bench/README.md explains the numbers.
#pragma once

#include <optional>
#include <string>

#include "model/analysis/bench.h"
#include "model/analysis/bench_cost.h"

namespace surtitle {

struct BenchReport {
  std::string model;      // name of the package
  std::string device;     // "cpu" or "cuda"
  std::string precision;  // "float32", "int8" or "half"
  int threads = 1;
  double load = 0;  // one-minute load average of the machine at the end
  ModelCost cost;
  double sentence_bytes = 0;  // of keys and values, for kBenchMemoryLength tokens on each side
  // On CUDA: bytes per second that the device copies within its memory, reads and writes together.
  std::optional<double> copy_rate;
  BenchTimes times;
};

std::string to_table(const BenchReport& report);
std::string to_json(const BenchReport& report);

}  // namespace surtitle
