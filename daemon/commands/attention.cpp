#include "daemon/commands/attention.h"

#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include "daemon/base/install_paths.h"
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

// Returns all of standard input without the line breaks at its end.
std::string standard_input() {
  std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

void run(const Options& options) {
  if (!options.json && options.output.empty()) {
    throw std::runtime_error("no output requested; give --output FILE for the page, or --json");
  }
  AttentionRequest request = options.request;
  request.model = model_folder(request.model);
  if (!request.policy.empty()) {
    make_policy(request.policy);  // reports a wrong policy before anything is read or loaded
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
      "attention", "Show the attention of each decoder layer for a sentence, as a page or as JSON");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--model", options->request.model,
                   "model package (folder), or the name of a shipped model")
      ->required();
  command->add_option("--policy", options->request.policy,
                      "policy that limits the source of each step (default: the model's own, or "
                      "full-sentence if that "
                      "one translates in drafts)");
  command->add_option("--target", options->request.target,
                      "translation to force through the model (default: the model's own)");
  command->add_option("--output", options->output, "HTML file for the heat maps");
  command->add_flag("--json", options->json, "print one JSON object");
  command
      ->add_option("--threads", options->request.threads, "CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->add_option("sentence", options->sentence, "one sentence; -: read standard input")
      ->capture_default_str();
  command->footer(
      "The page has a map for each layer, with a row for each target token and a column for each\n"
      "source token. The map also shows the positions p that the layer predicts, and the path of\n"
      "READs and WRITEs.\n"
      "Example: surtitle attention --model de-en-gma --policy gma:delta=1 --output map.html\n"
      "  \"Guten Morgen, meine Damen und Herren.\"");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
