#include "daemon/commands/train.h"

#include <memory>

#include "daemon/commands/result_file.h"
#include "daemon/evaluation/training_report.h"
#include "model/training/blas_environment.h"

namespace surtitle {
namespace {

void write_report(const TrainOptions& options) {
  const std::filesystem::path run = std::filesystem::weakly_canonical(options.recipe);
  ResultFile report(options.report);
  const ReportPage page("training.html");
  report.write(to_html(page, run.filename().string(), read_training_log(run / "log.jsonl")));
}

}  // namespace

void declare_train_command(CLI::App& app, void (*train)(const TrainOptions&)) {
  auto* command = app.add_subcommand("train", "Train a model from a recipe");
  auto options = std::make_shared<TrainOptions>();
  command
      ->add_option("recipe", options->recipe,
                   "recipe file, see model/recipes; with --report, the folder of a run")
      ->required();
  command->add_option("--data", options->data,
                      "folder of the recipe's text files (default: the recipe's own folder)");
  command->add_option("--output", options->output, "folder of the run (default: runs/NAME)");
  auto* resume = command->add_option(
      "--resume", options->resume,
      "checkpoint to continue from: weights, optimiser, position in the data; or "
      "the package of a run, without its optimiser's state");
  command
      ->add_option("--init-from", options->init_from,
                   "model package with the initial weights and the tokenizer")
      ->excludes(resume);
  command->add_option("--device", options->device, "auto, cpu or cuda");
  command
      ->add_option("--threads", options->threads, "CPU threads (default: one for each processor)")
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--cooldown", options->cooldown,
                   "make this number of further updates with the learning rate falling to zero, "
                   "then stop")
      ->check(CLI::Range(1, 10'000'000))
      ->needs(resume);
  auto* report = command->add_option(
      "--report", options->report,
      "HTML file for the curves of a run, which may go on: loss, dev perplexity, BLEU and AL, and "
      "tokens per second; nothing is trained");
  for (const char* of_training : {"--data", "--output", "--resume", "--init-from", "--cooldown"}) {
    report->excludes(of_training);
  }
  command->footer(
      "Writes checkpoints, log.jsonl and package/ (the mean of the last checkpoints).\n"
      "Ctrl-C writes a checkpoint and stops; a second Ctrl-C stops at once. Example:\n"
      "  surtitle train model/recipes/de-en-gma.yaml --data DATA --output runs/de-en-gma \\\n"
      "    --init-from model/pretrained/de-en-multipath\n"
      "  surtitle train runs/de-en-gma --report curves.html");
  command->callback(
      [options, train] { options->report.empty() ? train(*options) : write_report(*options); });
}

void add_train_command(CLI::App& app) {
  declare_train_command(app, [](const TrainOptions&) {
    restart_with_blas_environment(std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                  "surtitle_train");
  });
}

}  // namespace surtitle
