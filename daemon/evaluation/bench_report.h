// What `surtitle bench` prints: for people, and with --json. tests/bench/README.md explains the
// numbers.
#pragma once

#include <optional>
#include <string>

#include "model/analysis/bench.h"
#include "model/analysis/bench_cost.h"
#include "model/analysis/roofline.h"

namespace surtitle {

struct BenchReport {
  std::string model;      // its name
  std::string device;     // "cpu" or "cuda"
  std::string precision;  // "float32", "int8" or "half"
  int threads = 1;
  double load = 0;  // of the machine at the end, its one-minute average
  ModelCost cost;
  double sentence_bytes = 0;         // keys and values, of kBenchMemoryLength tokens each
  std::optional<Ceilings> ceilings;  // none on CUDA
  // On CUDA: bytes a second that the device copies within its memory, read and written together.
  std::optional<double> copy_rate;
  BenchTimes times;
};

std::string to_table(const BenchReport& report);
std::string to_json(const BenchReport& report);

}  // namespace surtitle
