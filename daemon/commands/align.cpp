#include "daemon/commands/align.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>

#include "daemon/base/install_paths.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/commands/result_file.h"
#include "daemon/evaluation/alignment_heads.h"
#include "daemon/evaluation/text_model.h"
#include "model/util/atomic_file.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

struct Options {
  AlignmentRequest request;
  std::filesystem::path source;
  std::filesystem::path reference;
  std::filesystem::path output;
  bool json = false;
  bool calibrate = false;
};

std::string pharaoh_lines(const AlignmentRun& run) {
  std::string lines;
  for (const Alignment& alignment : run.alignments) lines += to_pharaoh(alignment) + "\n";
  return lines;
}

std::string lengths(const EntropyByLength& bucket) {
  const std::string least = std::to_string(bucket.least_words);
  return bucket.most_words == std::numeric_limits<int>::max()
             ? least + "-"
             : least + "-" + std::to_string(bucket.most_words);
}

std::string row(const std::string& name, const std::optional<double>& value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%-24s", name.c_str());
  std::string line = text.data();
  if (value) {
    std::snprintf(text.data(), text.size(), "%8.4f", *value);
    line += text.data();
  } else {
    line += "       -";
  }
  return line + "\n";
}

std::string gate_row(const GateDistribution& gates) {
  std::array<char, 32> text{};
  std::string line = row("layer " + std::to_string(gates.layer), gates.mean);
  line.pop_back();
  line += "  ";
  for (const double share : gates.histogram) {
    std::snprintf(text.data(), text.size(), " %.2f", share);
    line += text.data();
  }
  return line + "\n";
}

std::string to_json(const GateDistribution& gates) {
  JsonWriter json;
  json.field("layer", gates.layer).field("steps", gates.steps).field("mean", gates.mean);
  json.raw_field("histogram", json_array(gates.histogram));
  return json.finish();
}

std::string to_json(const AlignmentHeadsRun& run, std::size_t sentences) {
  JsonWriter json;
  json.raw_field("alignment_heads", json_array(run.heads, [](const AlignmentHead& head) {
                   return "[" + std::to_string(head.layer) + "," + std::to_string(head.head) + "]";
                 }));
  json.field("agreement", run.together);
  json.field("tokens", static_cast<std::int64_t>(run.tokens));
  json.field("sentences", static_cast<std::int64_t>(sentences));
  return json.finish();
}

std::string to_table(const AlignmentHeadsRun& run, std::size_t sentences, int heads) {
  std::string table = counted(sentences, "sentence") + ", " + counted(run.tokens, "target token") +
                      "; share of the tokens at whose step most attention is at the word that "
                      "they translate\n\n";
  for (const auto& [layer, head] : run.heads) {
    table += row("layer " + std::to_string(layer) + ", head " + std::to_string(head),
                 run.agreement[static_cast<std::size_t>(layer * heads + head)]);
  }
  return table + row("their mean", run.together);
}

// The model.yaml of a package, which can be written from the beginning.
AtomicFile open_description(const std::filesystem::path& package) {
  try {
    return AtomicFile(package / kDescriptionFile);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + std::string("; calibrate a copy of the package"));
  }
}

// Writes the heads that align into model.yaml.
void calibrate(const Options& options) {
  const std::filesystem::path folder = model_folder(options.request.model);
  const TestSet texts = read_test_set(options.source, options.reference, /*limit=*/0);
  Package package = open_text_model(folder, "full-sentence").package;
  AtomicFile file = open_description(folder);
  const AlignmentHeadsRun result = find_alignment_heads(
      package, texts, options.request.threads, progress_on_terminal("", texts.sources.size()));
  package.description.alignment_heads = result.heads;
  file.write(to_yaml(package.description));
  file.commit();
  const std::size_t sentences = texts.sources.size();
  std::cout << (options.json ? to_json(result, sentences) + "\n"
                             : to_table(result, sentences, package.description.architecture.heads))
            << std::flush;
}

// Writes the alignments to the file of --output. Without one, they go to standard output, and the
// table to standard error. With --json and no file, they are not written.
void run(Options& options) {
  if (options.calibrate) {
    calibrate(options);
    return;
  }
  options.request.model = model_folder(options.request.model);
  if (!options.request.policy.empty()) {
    make_policy(options.request.policy);  // reports a wrong policy before the model is loaded
  }
  const TestSet texts = read_test_set(options.source, options.reference, /*limit=*/0);
  ResultFile output(options.output);
  const AlignmentRun result =
      align_package(options.request, texts, progress_on_terminal("", texts.sources.size()));
  if (!result.trained_for_policy) {
    std::cerr << "surtitle: the model was not trained for " << result.policy << "\n";
  }
  if (result.gold_beyond > 0) {
    std::cerr << "surtitle: " << counted(result.gold_beyond, "gold link")
              << " to words beyond the end of a sentence, counted as not found\n";
  }
  output.write(pharaoh_lines(result));
  if (options.json) {
    std::cout << to_json(result) << "\n";
  } else if (!options.output.empty()) {
    std::cout << to_table(result);
  } else {
    std::cout << pharaoh_lines(result);
    std::cerr << to_table(result);
  }
  std::cout << std::flush;
}

}  // namespace

std::string to_table(const AlignmentRun& run) {
  std::string table = counted(run.alignments.size(), "sentence") + " under " + run.policy +
                      ", attention of decoder layer " + std::to_string(run.layer) + "\n\n";
  if (run.scores) {
    table += row("AER", run.scores->aer) + row("precision", run.scores->precision) +
             row("recall", run.scores->recall) + row("gold read in time", run.share_read) + "\n";
  }
  table += "attention entropy, in nats, by the number of source words\n";
  for (const EntropyByLength& bucket : run.entropy) {
    table +=
        row(lengths(bucket) + " (" + counted(bucket.sentences, "sentence") + ")", bucket.entropy);
  }
  if (!run.gates.empty()) {
    table += "\ngate: mean, and share of the steps in each interval from [0, 0.1) to [0.9, 1]\n";
  }
  for (const GateDistribution& gates : run.gates) table += gate_row(gates);
  return table;
}

std::string to_json(const AlignmentRun& run) {
  JsonWriter json;
  if (run.scores) {
    json.field("aer", run.scores->aer);
    json.field("precision", run.scores->precision);
    json.field("recall", run.scores->recall);
    json.field("share_read", run.share_read);
  }
  json.raw_field("entropy", json_array(run.entropy, [](const EntropyByLength& bucket) {
                   JsonWriter item;
                   item.field("source_words", lengths(bucket));
                   item.field("sentences", bucket.sentences);
                   item.field("entropy", bucket.entropy);
                   return item.finish();
                 }));
  if (!run.gates.empty()) {
    json.raw_field("gates",
                   json_array(run.gates, [](const auto& gates) { return to_json(gates); }));
  }
  json.field("policy", run.policy);
  json.field("layer", run.layer);
  json.field("sentences", static_cast<std::int64_t>(run.alignments.size()));
  return json.finish();
}

void add_align_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("align", "Derive word alignments of a reference from a model's attention");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--model", options->request.model,
                   "model package (folder), or the name of a shipped model")
      ->required();
  command->add_option("--source", options->source, "source text, one sentence per line")
      ->required();
  command->add_option("--reference", options->reference, "its translation, line by line")
      ->required();
  auto* gold = command->add_option(
      "--gold", options->request.gold,
      "manual alignments: lines of SENTENCE SOURCE TARGET, then S (sure) or P (possible); "
      "without S or P a link is sure");
  auto* policy = command->add_option(
      "--policy", options->request.policy,
      "policy that limits the source of each step (default: the model's own, or "
      "full-sentence if that one translates in drafts)");
  auto* layer = command->add_option("--layer", options->request.layer,
                                    "decoder layer, counted from 0 (default: the last)");
  auto* output = command->add_option(
      "--output", options->output,
      "file for the alignments: one line of SOURCE-TARGET links per sentence, words "
      "counted from 0 (default: standard output, or none with --json)");
  command->add_flag("--json", options->json,
                    "print the scores as one JSON object instead of the alignments");
  command
      ->add_flag("--calibrate", options->calibrate,
                 "find the heads whose attention aligns source and target, and write them as "
                 "alignment_heads into the package's model.yaml, for the policy alignatt; a few "
                 "hundred sentences suffice")
      ->excludes(gold, policy, layer, output);
  command
      ->add_option("--threads", options->request.threads, "CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->footer(
      "Each target word is linked to the source word that receives most of its attention:\n"
      "the mean over the layer's heads, summed over the tokens of a word. \"Gold read in time\"\n"
      "is the share of gold links whose source word had been read before the target word was\n"
      "begun.\n"
      "Example: surtitle align --model de-en-gma --source de.txt "
      "--reference en.txt --gold gold.wa");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
