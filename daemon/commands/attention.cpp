#include "daemon/commands/attention.h"

#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include "daemon/commands/result_file.h"
#include "daemon/evaluation/attention_run.h"
#include "daemon/evaluation/report_page.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

struct Options {
  AttentionRequest request;
  std::string sentence = "-";
  std::filesystem::path output;
  bool json = false;
};

// Without the line breaks at its end.
std::string standard_input() {
  std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

void run(const Options& options) {
  if (!options.json && options.output.empty()) {
    throw std::runtime_error("name a file for the page with --output, or give --json");
  }
  AttentionRequest request = options.request;
  if (!request.policy.empty()) {
    make_policy(request.policy);  // a wrong one is an error before anything is read or loaded
  }
  ResultFile output(options.output);
  std::optional<ReportPage> page;
  if (!options.output.empty()) page.emplace("attention.html");
  request.source = options.sentence == "-" ? standard_input() : options.sentence;
  const AttentionRun result = attend(request);
  if (!result.trained_for_policy) {
    std::cerr << "surtitle: the model was not trained for " << result.policy << "\n";
  }
  const std::string json = to_json(result);
  if (page) output.write(page->with(json));
  if (options.json) std::cout << json << "\n" << std::flush;
}

}  // namespace

void add_attention_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "attention", "What each decoder layer attends to in a sentence, as a page or as JSON");
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->request.model, "model package, a folder")->required();
  command->add_option("--policy", options->request.policy,
                      "what a step may attend to (default: the model's own)");
  command->add_option("--target", options->request.target,
                      "a translation to force through the model (default: the model's own)");
  command->add_option("--output", options->output, "file for heat maps, a page of HTML");
  command->add_flag("--json", options->json, "print one JSON object");
  command->add_option("--threads", options->request.threads, "of the CPU; 0: one a processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->add_option("sentence", options->sentence, "one sentence; -: all of standard input")
      ->capture_default_str();
  command->footer(
      "The page has a map for each layer: a row for each target token, a column for each source "
      "token, the\npositions p that the layer predicts, and the path of READs and WRITEs.\n"
      "Example: surtitle attention --model model/pretrained/de-en-gma --policy gma:delta=1 "
      "--output map.html\n  \"Guten Morgen, meine Damen und Herren.\"");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
