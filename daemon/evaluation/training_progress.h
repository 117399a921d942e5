// Prints the progress of training on standard error and records checkpoints in log.jsonl.
//
// On a terminal, the progress is a moving bar; otherwise it is one line per minute. Each checkpoint
// has a line of its own.
//
// Thread-safety: none; one owner.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/training/train.h"

namespace surtitle {

class TrainingProgress {
 public:
  // Appends to `log`. Throws std::runtime_error if it cannot be written.
  explicit TrainingProgress(const std::filesystem::path& log);

  void show(const TrainProgress& progress);

 private:
  void show_speed(const TrainProgress& progress);
  void show_checkpoint(const TrainProgress& progress);
  std::string with_bar(double share, const std::string& text) const;
  std::size_t columns() const;
  const char* start_of_line() const { return terminal_ ? "\r\033[K" : ""; }

  std::ofstream log_;
  const bool terminal_;
  std::chrono::steady_clock::time_point next_line_;
};

}  // namespace surtitle
