#include "daemon/commands/compare.h"

#include <memory>
#include <string>

#include "daemon/commands/replay_options.h"
#include "daemon/commands/run_results.h"

namespace surtitle {
namespace {

struct Options {
  ReplayInputOptions input;
  std::string other;
  RunResultOptions results;
};

void run(const Options& options) {
  const ReplayInput input = read_input(options.input, "compare");
  RunResults results;
  results.runs.push_back(logged_run(input));
  if (!options.other.empty()) {
    ReplayInputOptions other = options.input;
    other.log = options.other;
    other.format = "auto";
    results.compared.push_back(logged_run(read_input(other, "compare")));
  }
  RunOutput output(options.results, input);
  output.measure_quality(results, {});
  output.print(results);
  output.write(results);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "compare", "Compare the translation in a log with another log or a reference");
  auto options = std::make_shared<Options>();
  add_replay_input_options(*command, options->input);
  command->add_option("other", options->other,
                      "the log to compare with, a stream's or SimulEval's");
  add_run_result_options(*command, options->results);
  command->footer(
      "Nothing is translated. surtitle replay --compare compares a log with a new translation.\n"
      "Exit code: 3 if the logs have different words.\n"
      "Examples:\n"
      "  surtitle compare monday.jsonl tuesday.jsonl --report days.html\n"
      "  surtitle compare monday.jsonl --reference talk.en --instances monday.log");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
