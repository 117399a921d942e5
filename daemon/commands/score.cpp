#include "daemon/commands/score.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "daemon/evaluation/instance_scores.h"
#include "daemon/recognisers/json_repair.h"
#include "daemon/recognisers/text_decoder.h"

namespace surtitle {
namespace {

struct Options {
  std::string file;
  bool json = false;
};

std::string content_of(const std::string& file) {
  if (file == "-") {
    return {std::istreambuf_iterator<char>(std::cin), {}};
  }
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file + ": cannot be read");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

void run(const Options& options) {
  const std::string name = options.file == "-" ? "standard input" : options.file;
  std::istringstream log(repair_json_lines(decode_text(content_of(options.file), name)));
  const std::vector<Instance> instances = read_instances(log, name);
  if (instances.empty()) {
    throw std::runtime_error(name + ": the log has no instances");
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
