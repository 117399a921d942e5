// Trains a model from a recipe; the interface for the command line.
//
// It includes no LibTorch; model/training/trainer.h is behind it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "model/training/recipe.h"

namespace surtitle {

// Quality and latency of a package on the recipe's dev text.
struct DevScore {
  double bleu = 0;
  double average_lagging = 0;  // words
};

// Progress report of training.
struct TrainProgress {
  std::int64_t update = 0;
  std::int64_t max_updates = 0;
  std::int64_t epoch = 0;
  double loss = 0;  // label-smoothed, per target token (nats), mean since the last report
  double learning_rate = 0;
  double tokens_per_second = 0;      // target tokens, since the last report
  double tokens_per_cpu_second = 0;  // the same by the process's CPU time
  double seconds_left = 0;           // until max_updates, at this speed
  // Set if a checkpoint was just written.
  std::optional<double> dev_perplexity;
  std::optional<DevScore> dev_score;
  std::filesystem::path checkpoint;
};

struct TrainRequest {
  Recipe recipe;
  std::filesystem::path output;  // folder of the run: tokenizer, checkpoints, log.jsonl, package/
  // A checkpoint of this recipe to resume, or empty; its run's package is beside it. Or the package
  // of such a run: its weights and its place in the text, without the optimiser's state.
  std::filesystem::path resume;
  // A package whose weights and tokenizers are the start, or empty. It may be an imported one of a
  // single target language; its encoder becomes causal.
  std::filesystem::path init_from;
  std::string device = "auto";  // as in TranslatorOptions
  int threads = 0;              // 0: one for each processor
  int cooldown = 0;  // above 0: number of updates until the end, with a falling learning rate
  // Scores a package on dev text. Called on the training thread, but not after `stop` was set. May
  // be empty.
  std::function<DevScore(const std::filesystem::path& package)> evaluate;
  std::function<void(const TrainProgress&)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;             // when true: writes a checkpoint and returns
};

// Returns the folder of the package whose architecture and tokenizers a run begins with:
// `init_from`, or that of the run to resume. Empty if the run begins without one. Throws
// std::runtime_error if `resume` does not exist.
std::filesystem::path start_package(const std::filesystem::path& init_from,
                                    const std::filesystem::path& resume);

// Returns the architecture of such a package. Throws std::runtime_error if it cannot be trained.
ModelConfig start_architecture(const std::filesystem::path& package);

// Why training ended.
enum class TrainEnd {
  kLastUpdate,     // max_updates are done, or the cool-down's
  kNoImprovement,  // dev perplexity has not fallen for `patience` checkpoints, cool-down included
  kStopped,        // `stop` was set
};

// Trains a model and returns why training ended. On return, output/package has the mean of the last
// checkpoints. Throws std::runtime_error with one line on bad input. Thread-safety: one training at
// a time in a process.
TrainEnd train(const TrainRequest& request);

}  // namespace surtitle
