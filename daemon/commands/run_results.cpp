#include "daemon/commands/run_results.h"

#include <algorithm>
#include <iostream>
#include <span>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/replay/scoring_talk.h"

namespace surtitle {
namespace {

constexpr int kOtherWords = 3;  // exit code: compared runs have different words

std::string instance_lines(const RecordedRun& run, const std::vector<std::string>& references) {
  std::string lines;
  for (const Instance& instance : to_instances(run, references)) {
    lines += to_instance_log_line(instance) + "\n";
  }
  return lines;
}

std::vector<RunComparison> compare_all(const RunResults& results) {
  std::vector<RunComparison> comparisons;
  for (const RecordedRun& before : results.compared) {
    for (const RecordedRun& run : results.runs) {
      comparisons.push_back(compare(before, run));
    }
  }
  return comparisons;
}

void require_references(const QualityMeasure& measure, const RecordedRun& run) {
  if (measure.references.size() != run.sentences.size()) {
    throw std::runtime_error("the reference has " + counted(measure.references.size(), "line") +
                             ", but the talk has " + counted(run.sentences.size(), "sentence") +
                             "; the numbers must be equal");
  }
}

void print_json(RunResults& results, const std::vector<RunComparison>& comparisons) {
  const RecordedRun& first = results.runs.front();
  if (results.reports.size() == 1 && comparisons.empty() && !first.quality) {
    const auto times = time_scores(first);
    std::cout << results.reports.front().to_json(times ? to_json(*times) : "") << "\n";
    return;
  }
  const auto all = [](const auto& items) {
    return json_array(items, [](const auto& item) { return to_json(item); });
  };
  std::cout << JsonWriter()
                   .raw_field("runs", all(results.runs))
                   .raw_field("comparisons", all(comparisons))
                   .finish()
            << "\n";
}

void print_tables(RunResults& results, const std::vector<RunComparison>& comparisons) {
  const bool one_new = results.reports.size() == 1;
  const bool judged = results.runs.front().quality.has_value();
  // One definition of each latency: the run's own, which uses the references if there are any.
  const auto scores = judged ? ReplayReport::Scores::kLeftOut : ReplayReport::Scores::kShown;
  std::cout << (one_new ? results.reports.front().to_table(scores) : to_table(results.runs));
  for (const RecordedRun& run : results.runs) {
    std::cout << time_table(run);
  }
  if (one_new && judged) {
    std::cout << "\n" << to_table(results.runs);
  }
  for (const RunComparison& comparison : comparisons) {
    std::cout << "\n" << to_table(comparison);
  }
}

}  // namespace

void add_run_result_options(CLI::App& command, RunResultOptions& options) {
  command.add_option("--reference", options.reference,
                     "file with the reference translation of the talk, one line per sentence");
  command.add_option(
      "--report", options.report,
      "HTML file for delays, timelines and curves; without a reference, the talk is translated "
      "once more by whole sentences, as the measure of quality");
  command.add_option("--instances", options.instances,
                     "file for a log in SimulEval's format, over words");
  command.add_option("--scoring", options.scoring,
                     "folder for the files with which OmniSTEval and SimulStream score the run, in "
                     "milliseconds");
  command.add_flag(
      "--json", options.json,
      "print one JSON object instead of the table; with several policies, a comparison "
      "or a reference it has the fields \"runs\" and \"comparisons\"");
}

RecordedRun logged_run(const ReplayInput& input) {
  if (!input.run) {
    throw std::runtime_error(input.name +
                             ": the log has no translation; allowed: a stream's log or "
                             "SimulEval's instances.log");
  }
  return *input.run;
}

RunOutput::RunOutput(const RunResultOptions& options, const ReplayInput& input)
    : options_(options), input_(input), report_(options.report), instances_(options.instances) {
  if (!options.scoring.empty() && options.reference.empty() && input.references.empty()) {
    throw std::runtime_error("--scoring needs references; give --reference");
  }
  if (!options.report.empty()) {
    page_.emplace("replay.html");
  }
}

void RunOutput::measure_quality(RunResults& results,
                                const std::function<RecordedRun()>& whole_sentences) {
  if (!options_.reference.empty()) {
    quality_.name = "BLEU";
    quality_.about = "against " + options_.reference.filename().string();
    quality_.references = read_sentences(options_.reference);
    require_references(quality_, results.runs.front());
  } else if (!input_.references.empty()) {
    quality_.name = "BLEU";
    quality_.about = "against the references in the log";
    quality_.references = input_.references;
  } else if (page_ && whole_sentences) {
    quality_.reference_run = whole_sentences();
    quality_.name = "agreement";
    quality_.about =
        "with the full-sentence translation. There is no reference, so this is BLEU against the "
        "same model's translation of whole sentences. It measures the effect of low latency, not "
        "the quality of the translation";
  }
  score_quality(results.compared, quality_);
  score_quality(results.runs, quality_);
}

void RunOutput::print(RunResults& results) const {
  const std::vector<RunComparison> comparisons = compare_all(results);
  if (options_.json) {
    print_json(results, comparisons);
  } else {
    print_tables(results, comparisons);
  }
  if (!std::cout.flush()) {
    throw std::runtime_error("cannot write the measurements to standard output");
  }
}

void RunOutput::write(const RunResults& results) {
  const RecordedRun& first = results.runs.front();
  instances_.write(instance_lines(first, quality_.references));
  if (!options_.scoring.empty()) {
    write_scoring(first);
  }
  if (page_) {
    std::vector<RecordedRun> shown = results.compared;
    shown.insert(shown.end(), results.runs.begin(), results.runs.end());
    report_.write(to_html(*page_, input_.name, shown, quality_));
  }
  const std::vector<RunComparison> comparisons = compare_all(results);
  if (!std::all_of(comparisons.begin(), comparisons.end(),
                   [](const RunComparison& one) { return one.same_words(); })) {
    throw CLI::RuntimeError(kOtherWords);
  }
}

void RunOutput::write_scoring(const RecordedRun& run) const {
  const std::string name = std::filesystem::path(input_.name).stem().string();
  const std::optional<ScoringTalk> talk = scoring_talk(run, name, kWordMs, quality_.references);
  if (!talk) {
    throw std::runtime_error(
        "--scoring needs the times of all words, and a reference for each "
        "sentence; the run has not both");
  }
  write_scoring_files(options_.scoring, std::span(&*talk, 1));
}

}  // namespace surtitle
