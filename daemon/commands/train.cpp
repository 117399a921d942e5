#include "daemon/commands/train.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "daemon/evaluation.h"
#include "model/train.h"
#include "model/tuned_libraries.h"

namespace surtitle {
namespace {

std::atomic<bool> stop_requested = false;

void request_stop(int) { stop_requested = true; }

// A number as JSON has it; null where JSON has none.
std::string json(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return std::isfinite(number) ? text.data() : "null";
}

// Shows training on standard error: a bar that moves on a terminal, a line a minute elsewhere; and
// a line for every checkpoint, which the log gets too.
class ProgressBar {
 public:
  explicit ProgressBar(const std::filesystem::path& log) : log_(log, std::ios::app) {
    if (!log_) throw std::runtime_error(log.string() + ": cannot be written");
  }

  void show(const TrainProgress& progress) {
    if (progress.checkpoint.empty()) {
      show_speed(progress);
    } else {
      show_checkpoint(progress);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show_speed(const TrainProgress& progress) {
    const auto now = Clock::now();
    if (!terminal_ && now < next_line_) return;
    next_line_ = now + std::chrono::minutes(1);
    const auto left = static_cast<long>(progress.seconds_left);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "%ld/%ld  epoch %ld  loss %.3f  %.0f tokens/s  ETA %ld:%02ld:%02ld",
                  static_cast<long>(progress.update), static_cast<long>(progress.max_updates),
                  static_cast<long>(progress.epoch), progress.loss, progress.tokens_per_second,
                  left / 3600, left / 60 % 60, left % 60);
    const double share =
        static_cast<double>(progress.update) / static_cast<double>(progress.max_updates);
    const std::string line = with_bar(share, text.data());
    std::fprintf(stderr, "%s%s%s", start_of_line(), line.c_str(), terminal_ ? "" : "\n");
  }

  // The bar takes what the terminal has beside the text, and the line never wraps: what has moved
  // to the line above cannot be overwritten.
  std::string with_bar(double share, const std::string& text) const {
    constexpr std::size_t kWidest = 24;
    const std::size_t columns = this->columns();
    const std::size_t frame = std::string_view("[]  ").size();  // and the last column stays free
    if (text.size() + frame + 1 > columns) return text.substr(0, columns - 1);
    std::string bar(std::min(columns - frame - text.size(), kWidest), '.');
    const auto done = static_cast<std::size_t>(share * static_cast<double>(bar.size()));
    bar.replace(0, done, done, '#');
    return "[" + bar + "] " + text;
  }

  std::size_t columns() const {
    constexpr std::size_t kWithoutTerminal = 100;
    winsize size{};
    const bool known = terminal_ && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    return known && size.ws_col > 1 ? size.ws_col : kWithoutTerminal;
  }

  void show_checkpoint(const TrainProgress& progress) {
    const double perplexity = progress.dev_perplexity.value_or(0);
    std::fprintf(stderr, "%s%s: loss %.3f, %.0f tokens/s, dev perplexity %.3f", start_of_line(),
                 progress.checkpoint.filename().c_str(), progress.loss, progress.tokens_per_second,
                 perplexity);
    log_ << "{\"update\": " << progress.update << ", \"epoch\": " << progress.epoch
         << ", \"loss\": " << json(progress.loss)
         << ", \"learning_rate\": " << json(progress.learning_rate)
         << ", \"tokens_per_second\": " << json(progress.tokens_per_second)
         << ", \"dev_perplexity\": " << json(perplexity);
    if (const auto& score = progress.dev_score) {
      std::fprintf(stderr, ", BLEU %.2f, AL %.2f words", score->bleu, score->average_lagging);
      log_ << ", \"dev_bleu\": " << json(score->bleu)
           << ", \"dev_al\": " << json(score->average_lagging);
    }
    std::fputc('\n', stderr);
    log_ << "}" << std::endl;
  }

  const char* start_of_line() const { return terminal_ ? "\r\033[K" : ""; }

  std::ofstream log_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point next_line_;
};

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

// The first signal asks for a checkpoint and the end; a second one ends the program at once.
void stop_on(int signal) {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

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
                        // LibTorch may have a device that translating cannot use.
                        TranslatorOptions{.device = options.device == "cpu" ? "cpu" : "auto",
                                          .threads = options.threads});
  };
  std::filesystem::create_directories(request.output);
  ProgressBar bar(request.output / "log.jsonl");
  request.progress = [&](const TrainProgress& progress) { bar.show(progress); };
  request.stop = &stop_requested;
  stop_on(SIGINT);
  stop_on(SIGTERM);
  const TrainEnd end = train(request);
  std::fprintf(stderr, "%s; the model is in %s\n", reason(end),
               (request.output / "package").c_str());
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto* command = app.add_subcommand("train", "Train a model from a recipe");
  auto options = std::make_shared<Options>();
  command->add_option("recipe", options->recipe, "recipe, see model/recipes")->required();
  command->add_option("--data", options->data,
                      "folder of the recipe's text files (default: the recipe's own folder)");
  command->add_option("--output", options->output, "folder of the run (default: runs/NAME)");
  auto* resume =
      command->add_option("--resume", options->resume,
                          "checkpoint to go on from: weights, optimiser, place in the data");
  command
      ->add_option("--init-from", options->init_from,
                   "package whose weights and tokenizer to begin with")
      ->excludes(resume);
  command->add_option("--device", options->device, "auto, cpu or cuda");
  command->add_option("--threads", options->threads, "CPU threads (default: one for each core)")
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--cooldown", options->cooldown,
                   "this many more updates, the learning rate falling to zero, then stop")
      ->check(CLI::Range(1, 10'000'000))
      ->needs(resume);
  command->footer(
      "Writes checkpoints, log.jsonl and package/ (the mean of the last checkpoints).\n"
      "Ctrl-C writes a checkpoint and stops, a second one ends at once. Example:\n"
      "  surtitle train model/recipes/de-en-gma.yaml --data DATA --output runs/de-en-gma");
  command->callback([options] {
    run_with_tuned_libraries();
    run(*options);
  });
}

}  // namespace surtitle
