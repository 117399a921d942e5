#include "daemon/commands/train.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "daemon/evaluation.h"
#include "model/train.h"

namespace surtitle {
namespace {

std::atomic<bool> stop_requested = false;

void request_stop(int) { stop_requested = true; }

// Shows training on standard error: a bar on a terminal, lines of checkpoints elsewhere too.
class ProgressBar {
 public:
  explicit ProgressBar(const std::filesystem::path& log) : log_(log, std::ios::app) {}

  void show(const TrainProgress& progress) {
    if (progress.checkpoint.empty()) {
      show_speed(progress);
    } else {
      show_checkpoint(progress);
    }
  }

 private:
  void show_speed(const TrainProgress& progress) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!terminal && ++quiet_ % 30 != 1) return;
    const double share =
        static_cast<double>(progress.update) / static_cast<double>(progress.max_updates);
    constexpr int kWidth = 24;
    std::string bar(kWidth, '.');
    bar.replace(0, static_cast<std::size_t>(share * kWidth),
                static_cast<std::size_t>(share * kWidth), '#');
    const auto left = static_cast<long>(progress.seconds_left);
    std::fprintf(stderr,
                 "%s[%s] update %ld/%ld  epoch %ld  loss %.3f  lr %.2e  %.0f tokens/s  ETA "
                 "%ld:%02ld:%02ld%s",
                 terminal ? "\r\033[K" : "", bar.c_str(), static_cast<long>(progress.update),
                 static_cast<long>(progress.max_updates), static_cast<long>(progress.epoch),
                 progress.loss, progress.learning_rate, progress.tokens_per_second, left / 3600,
                 left / 60 % 60, left % 60, terminal ? "" : "\n");
  }

  void show_checkpoint(const TrainProgress& progress) {
    const double perplexity = progress.dev_perplexity.value_or(0);
    const auto score = progress.dev_score.value_or(DevScore{});
    std::fprintf(stderr, "%s%s: dev perplexity %.3f, BLEU %.2f, AL %.2f words\n",
                 isatty(STDERR_FILENO) ? "\r\033[K" : "", progress.checkpoint.filename().c_str(),
                 perplexity, score.bleu, score.average_lagging);
    log_ << "{\"update\": " << progress.update << ", \"epoch\": " << progress.epoch
         << ", \"dev_perplexity\": " << perplexity << ", \"dev_bleu\": " << score.bleu
         << ", \"dev_al\": " << score.average_lagging << "}" << std::endl;
  }

  std::ofstream log_;
  long quiet_ = 0;
};

struct Options {
  std::filesystem::path recipe;
  std::filesystem::path data;
  std::filesystem::path output;
  std::filesystem::path resume;
  std::filesystem::path init_from;
  std::string device = "auto";
  int threads = 0;
  int cooldown = 0;
};

void run(const Options& options) {
  TrainRequest request;
  request.recipe = load_recipe(options.recipe, options.data);
  request.output =
      options.output.empty() ? std::filesystem::path("runs") / request.recipe.name : options.output;
  request.resume = options.resume;
  request.init_from = options.init_from;
  request.device = options.device;
  request.threads = options.threads;
  request.cooldown = options.cooldown;
  const auto& recipe = request.recipe;
  request.evaluate = [&](const std::filesystem::path& package) {
    return score_on_dev(package, recipe.dev, recipe.training.dev_sentences, recipe.default_policy,
                        TranslatorOptions{.device = options.device, .threads = options.threads});
  };
  std::filesystem::create_directories(request.output);
  ProgressBar bar(request.output / "log.jsonl");
  request.progress = [&](const TrainProgress& progress) { bar.show(progress); };
  request.stop = &stop_requested;
  signal(SIGINT, request_stop);
  signal(SIGTERM, request_stop);
  train(request);
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto* command = app.add_subcommand("train", "Train a model from a recipe");
  auto options = std::make_shared<Options>();
  command->add_option("recipe", options->recipe, "recipe, see model/recipes")->required();
  command->add_option("--data", options->data,
                      "folder of the recipe's text files (default: the recipe's own folder)");
  command->add_option("--output", options->output, "folder of the run (default: runs/NAME)");
  command->add_option("--resume", options->resume,
                      "checkpoint to go on from: weights, optimiser, place in the data");
  command->add_option("--init-from", options->init_from, "package whose weights to begin with");
  command->add_option("--device", options->device, "auto, cpu or cuda");
  command->add_option("--threads", options->threads, "CPU threads (default: one for each core)");
  command->add_option("--cooldown", options->cooldown,
                      "this many more updates, the learning rate falling to zero, then stop");
  command->footer(
      "Writes checkpoints, log.jsonl and package/ (the mean of the last checkpoints).\n"
      "Ctrl-C writes a checkpoint and stops. Example:\n"
      "  surtitle train model/recipes/de-en-gma.yaml --data DATA --output runs/de-en-gma");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
