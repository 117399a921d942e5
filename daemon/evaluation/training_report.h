// Makes a page of the log of a training (log.jsonl of TrainingProgress).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/evaluation/report_page.h"

namespace surtitle {

// A line of the log. An absent number was not measured, or was not finite.
struct TrainingCheckpoint {
  std::int64_t update = 0;
  std::int64_t epoch = 0;
  std::optional<double> loss;
  std::optional<double> dev_perplexity;
  std::optional<double> dev_bleu;
  std::optional<double> dev_al;  // source words
  std::optional<double> tokens_per_second;
  std::optional<double> learning_rate;
};

// Returns the checkpoints by their updates. If a training was resumed at an earlier update, the
// lines that it wrote replace those after that update. The last line may be incomplete, as the
// training may go on. Throws std::runtime_error, FILE:LINE, if another line is invalid, or if there
// is no checkpoint.
std::vector<TrainingCheckpoint> read_training_log(const std::filesystem::path& log);

// Returns the page web/reports/training.html. `run`: its name.
std::string to_html(const ReportPage& page, const std::string& run,
                    std::span<const TrainingCheckpoint> checkpoints);

}  // namespace surtitle
