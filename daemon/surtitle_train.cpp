// The program surtitle_train. `surtitle train` executes it with the same command line.
#include <signal.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <optional>

#include "daemon/commands/command_line.h"
#include "daemon/commands/train.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/training_progress.h"
#include "model/package/package.h"
#include "model/training/train.h"

namespace surtitle {
namespace {

std::atomic<bool> stop_requested = false;

void request_stop(int) { stop_requested = true; }

const char* reason(TrainEnd end) {
  switch (end) {
    case TrainEnd::kLastUpdate:
      return "all updates are done";
    case TrainEnd::kNoImprovement:
      return "dev perplexity no longer falls";
    case TrainEnd::kStopped:
      return "stopped";
  }
  return "";
}

// The first signal requests a checkpoint and the end of training. A second one ends the program at
// once.
void stop_on(int signal) {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void run(const TrainOptions& options) {
  TrainRequest request;
  const auto start = start_package(options.init_from, options.resume);
  std::optional<ModelConfig> architecture;
  if (!start.empty()) architecture = start_architecture(start);
  request.recipe = load_recipe(options.recipe, options.data, architecture);
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
                        // LibTorch may support devices that the engine does not.
                        TranslatorOptions{.device = options.device == "cpu" ? "cpu" : "auto",
                                          .threads = options.threads});
  };
  // train() creates the folder after it has checked the request, so the log is opened later.
  std::optional<TrainingProgress> shown;
  request.progress = [&](const TrainProgress& progress) {
    if (!shown) {
      shown.emplace(request.output / "log.jsonl");
    }
    shown->show(progress);
  };
  request.stop = &stop_requested;
  stop_on(SIGINT);
  stop_on(SIGTERM);
  const TrainEnd end = train(request);
  std::fprintf(stderr, "%s; the model is in %s\n", reason(end),
               (request.output / "package").c_str());
}

void add_command(CLI::App& app) { declare_train_command(app, run); }

}  // namespace
}  // namespace surtitle

int main(int argc, char** argv) {
  constexpr std::array<surtitle::AddCommand, 1> kCommands{surtitle::add_command};
  return surtitle::run_command_line(argc, argv, kCommands);
}
