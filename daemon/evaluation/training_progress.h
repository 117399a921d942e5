// What a person sees of training, on standard error: a bar that moves on a terminal, a line a
// minute elsewhere; and a line for every checkpoint, which the run's log.jsonl gets too.
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
  // Appends to `log`. Throws std::runtime_error where it cannot be written.
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
