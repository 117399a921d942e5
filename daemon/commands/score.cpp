#include "daemon/commands/score.h"

#include <iostream>
#include <memory>
#include <stdexcept>

#include "daemon/evaluation/instance_scores.h"

namespace surtitle {
namespace {

struct Options {
  std::string file;
  bool json = false;
};

void run(const Options& options) {
  const bool standard_input = options.file == "-";
  const std::vector<Instance> instances = standard_input
                                              ? read_instances(std::cin, "standard input")
                                              : read_instances(std::filesystem::path(options.file));
  if (instances.empty()) {
    throw std::runtime_error((standard_input ? "standard input" : options.file) +
                             ": the log has no instances");
  }
  const LogScore score = score_log(instances);
  std::cout << (options.json ? to_json(score, instances) + "\n" : to_table(score)) << std::flush;
}

}  // namespace

void add_score_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("score", "Compute latency and quality of a log of translations");
  auto options = std::make_shared<Options>();
  command
      ->add_option("file", options->file,
                   "log with one JSON object per line: SimulEval's instances.log, or lines with "
                   "delays, source_length, reference_length (or reference) and optionally "
                   "prediction; -: read standard input")
      ->required();
  command->add_flag("--json", options->json,
                    "print one JSON object with the metrics of every line and a summary");
  command->footer(
      "AL, LAAL, AP, DAL and ATD are computed as by SimulEval, BLEU and chrF2 as by sacreBLEU.\n"
      "Example: surtitle score instances.log --json");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
