#include "daemon/commands/evaluate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "daemon/base/install_paths.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/commands/evaluate_document.h"
#include "daemon/commands/result_file.h"
#include "daemon/commands/start_table.h"
#include "daemon/commands/stream_options.h"
#include "daemon/evaluation/sentence_starts.h"
#include "daemon/evaluation/sweep.h"
#include "daemon/evaluation/sweep_report.h"
#include "daemon/terminal/option_check.h"
#include "daemon/translation/sentence_limit.h"
#include "metrics/chrf.h"
#include "policies/registry.h"
#include "policies/spec_range.h"

namespace surtitle {
namespace {

struct Options {
  std::vector<std::filesystem::path> models;
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> references;
  std::vector<std::string> policies;
  std::filesystem::path groups;
  std::filesystem::path output;
  std::filesystem::path instances;
  std::filesystem::path scoring;
  bool json = false;
  bool sweep = false;
  bool document = false;
  double rate = 2.5;
  std::filesystem::path glossary;
  bool untrained = false;
  std::filesystem::path csv;
  std::filesystem::path report;
  int limit = 0;
  int resamples = 0;
  std::string source_form{name(TextForm::kWritten)};
  bool sentence_starts = false;
  double threshold = SentenceLimit::kLikelyStart;
  TranslatorOptions translator;
};

struct ShownMetric {
  const char* key;   // in JSON
  const char* name;  // in the table
  std::optional<double> LatencyScores::*value;
};
constexpr std::array<ShownMetric, 7> kShown = {
    {{"al", "AL", &LatencyScores::al},
     {"laal", "LAAL", &LatencyScores::laal},
     {"ap", "AP", &LatencyScores::ap},
     {"dal", "DAL", &LatencyScores::dal},
     {"cw", "CW", &LatencyScores::cw},
     {"yaal", "YAAL", &LatencyScores::yaal},
     {"long_yaal", "LongYAAL", &LatencyScores::long_yaal}}};

std::string cell(const std::optional<double>& value) {
  std::array<char, 64> text{};
  if (!value) {
    return "          -";
  }
  std::snprintf(text.data(), text.size(), "%11.3f", *value);
  return text.data();
}

std::string texts(const EvaluationRun& run) {
  std::string lines;
  for (const OfflineTranslation& translation : run.translations) {
    lines += translation.text + "\n";
  }
  return lines;
}

std::string log_lines(const EvaluationRun& run, const TestSet& test_set) {
  std::string lines;
  for (const Instance& instance : to_instances(run.translations, test_set)) {
    lines += to_instance_log_line(instance) + "\n";
  }
  return lines;
}

void print(const std::string& text) { std::cout << text << std::flush; }

void require(bool held, const char* otherwise) {
  if (!held) {
    throw std::runtime_error(otherwise);
  }
}

// Reads the texts as one test set. Their groups are the names in --groups, or with several texts
// the names of the files.
TestSet read_groups(const Options& options) {
  TestSet all;
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    TestSet set = read_test_set(options.sources[i], options.references[i], options.limit,
                                *text_form_by_name(options.source_form));
    if (options.sources.size() > 1 || options.document) {
      const std::string name = options.sources[i].stem().string();
      require(!options.document || all.groups.empty() || all.groups.back() != name,
              "two talks have the same name; rename a file");
      set.groups.assign(set.sources.size(), name);
    }
    all.append(std::move(set));
  }
  if (!options.groups.empty()) {
    all.groups = read_sentences(options.groups);
    if (options.limit > 0 && all.groups.size() > all.sources.size()) {
      all.groups.resize(all.sources.size());
    }
    if (all.groups.size() != all.sources.size()) {
      throw std::runtime_error(options.groups.string() + " has " +
                               std::to_string(all.groups.size()) +
                               " lines; it must have the name of a group for each of " +
                               std::to_string(all.sources.size()) + " sentences");
    }
  }
  return all;
}

void run_once(const Options& options) {
  const std::string policy = options.policies.empty() ? "" : options.policies.front();
  if (!policy.empty()) {
    make_policy(policy);  // reports a wrong policy before the model is loaded
  }
  const TestSet test_set = read_groups(options);
  ResultFile output(options.output);
  ResultFile instances(options.instances);
  EvaluationRun result =
      evaluate_package(options.models.front(), test_set, policy, options.translator,
                       progress_on_terminal("", test_set.sources.size()));
  if (!result.trained_for_policy) {
    std::cerr << "surtitle: the model was not trained for " << result.policy << "\n";
  }
  output.write(texts(result));
  instances.write(log_lines(result, test_set));
  result.resampled_bleu =
      resampled_bleu(result.translations, test_set.references, options.resamples);
  print(options.json ? to_json(result) + "\n" : to_table(result));
}

DocumentPlan document_plan(const Options& options, const std::filesystem::path& model,
                           const std::string& policy) {
  return {.model = model,
          .policy = policy,
          .rate = options.rate,
          .source_form = *text_form_by_name(options.source_form),
          .glossary = options.glossary.empty() ? protocol::Glossary()
                                               : protocol::read_glossary(options.glossary),
          .translator = options.translator};
}

void run_document(const Options& options) {
  const std::string policy = options.policies.empty() ? "" : options.policies.front();
  evaluate_document(document_plan(options, options.models.front(), policy), read_groups(options),
                    {options.output, options.scoring, options.json});
}

void run_sweep(const Options& options) {
  SweepPlan plan;
  plan.models = options.models;
  plan.untrained = options.untrained;
  plan.translator = options.translator;
  plan.progress = progress_on_terminal;
  if (options.document) {
    plan.evaluate = [&](const auto& model, const std::string& policy, const NamedTestSet& set,
                        const SentenceProgress& progress) {
      return sweep_run_of_talk(document_plan(options, model, policy), set, progress);
    };
  }
  for (const std::string& policy : options.policies) {
    for (const std::string& spec : SpecRange(policy).steps()) {
      const bool known =
          std::find(plan.policies.begin(), plan.policies.end(), spec) != plan.policies.end();
      if (!known) {
        plan.policies.push_back(spec);
      }
    }
  }
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    plan.test_sets.push_back(
        {.name = options.sources[i].stem().string(),
         .texts = read_test_set(options.sources[i], options.references[i], options.limit,
                                *text_form_by_name(options.source_form))});
  }
  ResultFile csv(options.csv);
  ResultFile report(options.report);
  std::optional<ReportPage> page;
  if (!options.report.empty()) page.emplace("sweep.html");
  bool first = true;
  const std::vector<SweepRun> runs = surtitle::run_sweep(plan, [&](const SweepRun& run) {
    print((first ? sweep_table_head(run) : "") + sweep_table_row(run));
    first = false;
  });
  csv.write(to_csv(runs));
  if (page) report.write(to_html(*page, runs));
}

void run_sentence_starts(const Options& options) {
  const std::vector<StartGroup> groups =
      evaluate_starts(options.models.front(), options.sources, options.threshold, options.limit,
                      options.translator, progress_on_terminal);
  print(options.json ? to_json(groups) + "\n" : to_table(groups));
}

void run(Options& options) {
  std::ranges::transform(options.models, options.models.begin(), model_folder);
  if (options.sentence_starts) {
    require(options.models.size() == 1, "--sentence-starts measures one --model");
    run_sentence_starts(options);
    return;
  }
  require(options.sources.size() == options.references.size(),
          "--source and --reference must be given equally often");
  if (options.sweep) {
    require(!options.policies.empty(), "--sweep needs at least one --policy");
    run_sweep(options);
    return;
  }
  require(options.models.size() == 1 && options.policies.size() < 2,
          "several models or policies need --sweep");
  require(options.groups.empty() || options.sources.size() == 1,
          "--groups names the groups of one text; give one --source");
  if (options.document) {
    run_document(options);
  } else {
    run_once(options);
  }
}

}  // namespace

// Returns a row of the table of groups.
std::string group_row(std::string name, const Evaluation& scores, std::size_t width) {
  name.resize(width, ' ');
  std::array<char, 64> count{};
  std::snprintf(count.data(), count.size(), "%10zu", scores.sentences);
  return name + count.data() + cell(scores.bleu.score) + cell(scores.chrf) + cell(scores.words.al) +
         "\n";
}

std::string group_table(const EvaluationRun& run) {
  std::size_t width = 8;
  for (const GroupScores& group : run.groups) width = std::max(width, group.group.size() + 1);
  std::string table(width, ' ');
  table += " sentences       BLEU      chrF2  AL (words)\n";
  for (const GroupScores& group : run.groups) table += group_row(group.group, group.scores, width);
  return table + group_row("all", run.scores, width) + "\n";
}

std::string to_table(const EvaluationRun& run) {
  const Evaluation& scores = run.scores;
  std::string table = counted(scores.sentences, "sentence") + " under " + run.policy + "\n\n";
  table += "BLEU     " + cell(scores.bleu.score) + "   " + std::string(bleu_signature()) + "\n";
  if (!run.resampled_bleu.empty()) {
    const Interval interval = middle_95_percent(run.resampled_bleu);
    table += "95 % of  " + cell(interval.low) + " to" + cell(interval.high) + "   in " +
             counted(run.resampled_bleu.size(), "resample") + "\n";
  }
  table += "chrF2    " + cell(scores.chrf) + "   " + std::string(chrf_signature()) + "\n";
  table += "tokens/s " + cell(run.tokens_per_second) + "\n\n";
  if (!run.groups.empty()) table += group_table(run);
  table += "               words     tokens\n";
  for (const ShownMetric& metric : kShown) {
    std::string name(metric.name);
    name.resize(9, ' ');
    table += name + cell(scores.words.*metric.value) + cell(scores.tokens.*metric.value) + "\n";
  }
  return table +
         "\nLengths: AL and AP use the reference's, in words between single spaces. LAAL uses the "
         "longer of\nreference and translation, DAL the translation's. Over tokens, all use the "
         "translation's length" +
         (scores.end_of_sentence == EndOfSentence::kCounted
              ? ",\nand the end of sentence counts as a token, as in GMA's released code.\n"
              : ".\n");
}

std::string to_json(const EvaluationRun& run) {
  JsonWriter json;
  json.field("bleu", run.scores.bleu.score);
  if (!run.resampled_bleu.empty()) {
    json.raw_field("bleu_resampled", json_array(run.resampled_bleu, [](double bleu) {
                     std::array<char, 32> text{};
                     std::snprintf(text.data(), text.size(), "%.2f", bleu);
                     return std::string(text.data());
                   }));
  }
  json.field("chrf", run.scores.chrf);
  JsonWriter tokens;
  for (const ShownMetric& metric : kShown) {
    json.field(metric.key, run.scores.words.*metric.value);
    tokens.field(metric.key, run.scores.tokens.*metric.value);
  }
  tokens.field("end_of_sentence", run.scores.end_of_sentence == EndOfSentence::kCounted);
  json.field("tokens_per_second", run.tokens_per_second);
  json.field("sentences", static_cast<std::int64_t>(run.scores.sentences));
  json.raw_field("tokens", tokens.finish());
  if (!run.groups.empty()) {
    json.raw_field("groups", json_array(run.groups, [](const GroupScores& group) {
                     JsonWriter row;
                     row.field("group", group.group);
                     row.field("sentences", static_cast<std::int64_t>(group.scores.sentences));
                     row.field("bleu", group.scores.bleu.score);
                     row.field("chrf", group.scores.chrf);
                     row.field("al", group.scores.words.al);
                     return row.finish();
                   }));
  }
  json.field("signature", bleu_signature());
  return json.finish();
}

void add_evaluate_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("evaluate", "Measure quality and latency of a model on a test set");
  auto options = std::make_shared<Options>();
  const auto repeatable = [](CLI::Option* option) { return option->allow_extra_args(false); };
  repeatable(command->add_option("--model", options->models,
                                 "model package (folder), or the name of a shipped model"))
      ->required();
  repeatable(
      command->add_option("--source", options->sources, "source text, one sentence per line"))
      ->required();
  auto* reference = repeatable(
      command->add_option("--reference", options->references, "its translation, line by line"));
  repeatable(command->add_option("--policy", options->policies,
                                 "such as " + policy_examples() + " (default: the model's own)"));
  auto* sweep = command->add_flag(
      "--sweep", options->sweep,
      "evaluate each model under each policy that it was trained for, on each test set; --model, "
      "--policy, and --source with --reference may be repeated, and a policy may be a range such "
      "as gma:delta=0.5..3/0.5 or wait-k:k=1..9");
  command->add_option("--csv", options->csv, "CSV file for the results of a sweep")->needs(sweep);
  command->add_option("--report", options->report, "HTML file for the curves of a sweep")
      ->needs(sweep);
  command
      ->add_flag("--untrained", options->untrained,
                 "include policies that a model was not trained for in a sweep")
      ->needs(sweep);
  command
      ->add_option("--resamples", options->resamples,
                   "draw this number of test sets from the sentences, with replacement, for an "
                   "interval of BLEU; --json has the BLEU of each, and the difference to that of "
                   "another model is a paired bootstrap")
      ->check(CLI::Range(0, 100000))
      ->excludes(sweep);
  command
      ->add_option(
          "--groups", options->groups,
          "file with the name of each sentence's group, for a row of scores for each group; "
          "several texts without --sweep are groups, too")
      ->excludes(sweep);
  command->add_option("--output", options->output, "file for the translations, one per line")
      ->excludes(sweep);
  command
      ->add_option("--instances", options->instances,
                   "file for a log in SimulEval's format, over words")
      ->excludes(sweep);
  auto* document =
      command
          ->add_flag("--document", options->document,
                     "translate whole talks: sentences end where a daemon ends them, and the "
                     "translation is divided at the lines of --reference to be scored; a talk is "
                     "one --source, or the consecutive lines of one name in --groups; with "
                     "--sweep, each --source is a test set of one talk")
          ->excludes("--instances")
          ->excludes("--resamples");
  command->add_option("--rate", options->rate, "words per second of a talk")
      ->capture_default_str()
      ->check(above_zero())
      ->needs(document);
  command
      ->add_option("--glossary", options->glossary,
                   "file of terms with their translations; the table counts the terms that the "
                   "translation has")
      ->option_text("FILE")
      ->needs(document);
  command
      ->add_option("--scoring", options->scoring,
                   "folder for the files with which OmniSTEval and SimulStream score the talks")
      ->needs(document)
      ->excludes(sweep);
  command->add_flag("--json", options->json, "print one JSON object")->excludes(sweep);
  command->add_option("--limit", options->limit, "use only this number of lines from the start")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--source-form", options->source_form,
                   "spoken: lower-case the sources and remove their punctuation, as recognisers "
                   "do; written: leave the sources unchanged")
      ->capture_default_str()
      ->check(one_of({"written", "spoken"}));
  auto* starts = command->add_flag(
      "--sentence-starts", options->sentence_starts,
      "measure how well the model finds the words that begin a sentence, in spoken text; the lines "
      "of each --source must be in their order");
  starts->excludes(sweep)->excludes(reference);
  command
      ->add_option("--threshold", options->threshold,
                   "with --sentence-starts: probability above which a word begins a sentence")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->needs(starts);
  command->add_option("--device", options->translator.device, "cpu, cuda or auto")
      ->capture_default_str()
      ->check(one_of({"auto", "cpu", "cuda"}));
  command
      ->add_option("--precision", options->translator.precision,
                   "precision on the CPU: float32, int8 (needs AVX2) or auto")
      ->capture_default_str()
      ->check(one_of({"auto", "float32", "int8"}));
  command
      ->add_option("--threads", options->translator.threads,
                   "CPU threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--batch", options->translator.max_sentences,
                   "sentences at a time; more are faster and need more memory")
      ->default_val(64)
      ->check(CLI::PositiveNumber);
  command->footer(
      "Example: surtitle evaluate --model de-en-gma --source de.txt "
      "--reference en.txt --policy gma:delta=1.5\n"
      "A sweep prints a Markdown table: surtitle evaluate --sweep --model A --model B --source "
      "de.txt\n  --reference en.txt --policy gma:delta=0.5..3/0.5 --policy wait-k:k=1..9 --report "
      "curves.html");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
