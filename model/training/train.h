// Training a model from a recipe: the door between the command line and model/training/trainer.h,
// without LibTorch.
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

// What training tells while it runs.
struct TrainProgress {
  std::int64_t update = 0;
  std::int64_t max_updates = 0;
  std::int64_t epoch = 0;
  double loss = 0;  // label-smoothed, per target token (nats), mean since the last report
  double learning_rate = 0;
  double tokens_per_second = 0;      // target tokens, since the last report
  double tokens_per_cpu_second = 0;  // the same by the process's CPU time, whoever else is at work
  double seconds_left = 0;           // until max_updates, at this speed
  // Set where a checkpoint was just written.
  std::optional<double> dev_perplexity;
  std::optional<DevScore> dev_score;
  std::filesystem::path checkpoint;
};

struct TrainRequest {
  Recipe recipe;
  std::filesystem::path output;  // folder of the run: tokenizer, checkpoints, log.jsonl, package/
  // A checkpoint of this recipe to go on from, or empty; its run's tokenizer lies beside it. Or the
  // package of such a run: its weights and its place in the text, without the optimiser's state.
  std::filesystem::path resume;
  std::filesystem::path init_from;  // a package to take weights and tokenizer from, or empty
  std::string device = "auto";      // as in TranslatorOptions
  int threads = 0;                  // 0: one for each processor
  int cooldown = 0;  // above 0: so many more updates, the learning rate going to zero, then stop
  // Scores a package on dev text; called on the training thread, but not after `stop` was set. May
  // be empty.
  std::function<DevScore(const std::filesystem::path& package)> evaluate;
  std::function<void(const TrainProgress&)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;             // when true: writes a checkpoint and returns
};

// Why training ended.
enum class TrainEnd {
  kLastUpdate,     // max_updates are done, or the cool-down's
  kNoImprovement,  // dev perplexity has not fallen for `patience` checkpoints, cool-down included
  kStopped,        // `stop` was set
};

// On return output/package holds the mean of the last checkpoints. Throws std::runtime_error with
// one line on bad input.
TrainEnd train(const TrainRequest& request);

}  // namespace surtitle
