#include "daemon/commands/segment.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>

#include "daemon/base/install_paths.h"
#include "daemon/base/json_writer.h"
#include "daemon/commands/result_file.h"

namespace surtitle {
namespace {

struct Options {
  SegmentationRequest request;
  bool json = false;
};

void run(Options& options) {
  options.request.model = model_folder(options.request.model);
  const SegmentationRun result = segment_package(options.request, progress_on_terminal);
  std::cout << (options.json ? to_json(result) + "\n" : to_table(result)) << std::flush;
}

}  // namespace

std::string to_table(const SegmentationRun& run) {
  std::array<char, 256> text{};
  std::snprintf(
      text.data(), text.size(),
      "fitted to %zu sentences with %zu tokens; %.1f %% of the tokens end a meaning unit\n"
      "held out: %zu tokens, %.1f %% end a unit; precision %.3f, recall %.3f\n",
      run.sentences, run.tokens, 100 * run.share, run.held_out, 100 * run.held_out_share,
      run.precision, run.recall);
  return text.data();
}

std::string to_json(const SegmentationRun& run) {
  JsonWriter json;
  json.field("sentences", static_cast<std::int64_t>(run.sentences));
  json.field("tokens", static_cast<std::int64_t>(run.tokens));
  json.field("share", run.share);
  json.field("held_out_tokens", static_cast<std::int64_t>(run.held_out));
  json.field("held_out_share", run.held_out_share);
  json.field("precision", run.precision);
  json.field("recall", run.recall);
  return json.finish();
}

void add_segment_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "segment", "Add a classifier of meaning units to a model, for the policy mu");
  auto options = std::make_shared<Options>();
  auto& request = options->request;
  command
      ->add_option("--model", request.model,
                   "model package (folder), or the name of a shipped model")
      ->required();
  command
      ->add_option("--source", request.source,
                   "source text, one sentence per line; a few thousand lines suffice")
      ->required();
  command->add_option("--output", request.output, "folder of the new package; must not exist")
      ->required();
  command->add_option("--limit", request.sentences, "use only this number of lines from the start")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", request.threads, "CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      "The model labels the text itself: a prefix ends a unit if its translation is a prefix of\n"
      "the whole sentence's translation. A linear classifier on the encoder's states learns the\n"
      "labels.\n"
      "Example: surtitle segment --model de-en-multipath --source de.txt "
      "--limit 5000 --output models/de-en-mu");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
