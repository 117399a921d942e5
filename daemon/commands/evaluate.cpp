#include "daemon/commands/evaluate.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "daemon/commands/result_file.h"
#include "daemon/json_writer.h"
#include "metrics/chrf.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

struct Options {
  std::filesystem::path model;
  std::filesystem::path source;
  std::filesystem::path reference;
  std::string policy;
  std::filesystem::path output;
  std::filesystem::path instances;
  bool json = false;
  int limit = 0;
  TranslatorOptions translator;
};

struct ShownMetric {
  const char* key;   // in JSON
  const char* name;  // in the table
  std::optional<double> LatencyScores::*value;
};
constexpr std::array<ShownMetric, 5> kShown = {{{"al", "AL", &LatencyScores::al},
                                                {"laal", "LAAL", &LatencyScores::laal},
                                                {"ap", "AP", &LatencyScores::ap},
                                                {"dal", "DAL", &LatencyScores::dal},
                                                {"cw", "CW", &LatencyScores::cw}}};

std::string cell(const std::optional<double>& value) {
  std::array<char, 64> text{};
  if (!value) {
    return "          -";
  }
  std::snprintf(text.data(), text.size(), "%11.3f", *value);
  return text.data();
}

std::vector<std::string> texts(const EvaluationRun& run) {
  std::vector<std::string> lines;
  for (const OfflineTranslation& translation : run.translations) {
    lines.push_back(translation.text);
  }
  return lines;
}

std::vector<std::string> log_lines(const EvaluationRun& run, const TestSet& test_set) {
  std::vector<std::string> lines;
  for (const Instance& instance : to_instances(run.translations, test_set)) {
    lines.push_back(to_instance_log_line(instance));
  }
  return lines;
}

void run(const Options& options) {
  if (!options.policy.empty()) {
    make_policy(options.policy);  // a wrong one is an error before the model is loaded
  }
  const TestSet test_set = read_test_set(options.source, options.reference, options.limit);
  ResultFile output(options.output);
  ResultFile instances(options.instances);
  const EvaluationRun result =
      evaluate_package(options.model, test_set, options.policy, options.translator,
                       progress_on_terminal(test_set.sources.size()));
  if (!result.trained_for_policy) {
    std::cerr << "surtitle: the model was not trained for " << result.policy << "\n";
  }
  output.write_lines(texts(result));
  instances.write_lines(log_lines(result, test_set));
  std::cout << (options.json ? to_json(result) + "\n" : to_table(result)) << std::flush;
  if (!std::cout) {
    throw std::runtime_error("the scores could not be written to standard output");
  }
}

}  // namespace

std::string to_table(const EvaluationRun& run) {
  const Evaluation& scores = run.scores;
  std::string table = std::to_string(scores.sentences) + " sentences under " + run.policy + "\n\n";
  table += "BLEU     " + cell(scores.bleu.score) + "   " + std::string(bleu_signature()) + "\n";
  table += "chrF2    " + cell(scores.chrf) + "   " + std::string(chrf_signature()) + "\n";
  table += "tokens/s " + cell(run.tokens_per_second) + "\n\n";
  table += "               words     tokens\n";
  for (const ShownMetric& metric : kShown) {
    std::string name(metric.name);
    name.resize(9, ' ');
    table += name + cell(scores.words.*metric.value) + cell(scores.tokens.*metric.value) + "\n";
  }
  return table +
         "\nAL and AP divide by the reference's length in words (between single spaces), LAAL by "
         "the longer of\nreference and translation, DAL by the translation's; over tokens all "
         "divide by the translation's" +
         (scores.end_of_sentence == EndOfSentence::kCounted
              ? ",\nand the end of sentence counts as one, as in GMA's released code.\n"
              : ".\n");
}

std::string to_json(const EvaluationRun& run) {
  JsonWriter json;
  json.field("bleu", run.scores.bleu.score);
  json.field("chrf", run.scores.chrf);
  JsonWriter tokens;
  for (const ShownMetric& metric : kShown) {
    json.field(metric.key, run.scores.words.*metric.value);
    tokens.field(metric.key, run.scores.tokens.*metric.value);
  }
  tokens.field("end_of_sentence", run.scores.end_of_sentence == EndOfSentence::kCounted);
  json.field("tokens_per_second", run.tokens_per_second);
  json.field("sentences", static_cast<std::int64_t>(run.scores.sentences));
  json.raw_field("tokens", tokens.take());
  json.field("signature", bleu_signature());
  return json.take();
}

void add_evaluate_command(CLI::App& app) {
  auto* command = app.add_subcommand("evaluate", "Quality and latency of a model on a test set");
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->model, "model package, a folder")->required();
  command->add_option("--source", options->source, "text, a sentence a line")->required();
  command->add_option("--reference", options->reference, "its translation, line by line")
      ->required();
  std::string policies;
  for (const PolicyHelp& help : policy_help()) {
    policies += (policies.empty() ? "" : ", ") + help.usage;
  }
  command->add_option("--policy", options->policy,
                      "such as " + policies + " (default: the model's own)");
  command->add_option("--output", options->output, "file for the translations, a line each");
  command->add_option("--instances", options->instances,
                      "file for a log as SimulEval writes it, over words");
  command->add_flag("--json", options->json, "print one JSON object");
  command->add_option("--limit", options->limit, "only so many first lines")
      ->check(CLI::PositiveNumber);
  command->add_option("--device", options->translator.device, "cpu, cuda or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  command
      ->add_option("--precision", options->translator.precision,
                   "on the CPU: float32, int8 (with AVX512-VNNI) or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "float32", "int8"}));
  command->add_option("--threads", options->translator.threads, "of the CPU; 0: one a core")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--batch", options->translator.max_sentences,
                   "sentences at a time; more is faster and takes more memory")
      ->default_val(64)
      ->check(CLI::PositiveNumber);
  command->footer(
      "Example: surtitle evaluate --model model/pretrained/de-en-gma --source de.txt "
      "--reference en.txt --policy gma:delta=1.5");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
