#include "daemon/commands/evaluate_document.h"

#include <iostream>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/commands/result_file.h"
#include "daemon/evaluation/instance_scores.h"

namespace surtitle {
namespace {

// The instances of talks, at the lines of their references.
std::vector<Instance> instances_of(const DocumentRun& run) {
  std::vector<ReferenceRecording> references;
  std::vector<RecordedTranslation> texts;
  for (const ScoringTalk& talk : run.talks) {
    references.push_back(talk.reference);
    texts.push_back(talk.translation);
  }
  return resegment(references, texts);
}

void warn(const DocumentRun& run) {
  for (const std::string& warning : run.warnings) {
    std::cerr << "surtitle evaluate: " << warning << "\n";
  }
}

}  // namespace

void evaluate_document(const DocumentPlan& plan, const TestSet& test_set,
                       const DocumentOutput& output) {
  ResultFile translations(output.translations);
  const DocumentRun run =
      translate_talks(plan, test_set, progress_on_terminal("", test_set.sources.size()));
  warn(run);
  const std::vector<Instance> instances = instances_of(run);
  const LogScore score = score_log(instances);
  std::string lines;
  for (const Instance& instance : instances) {
    lines += *instance.prediction + "\n";
  }
  translations.write(lines);
  if (!output.scoring.empty()) {
    write_scoring_files(output.scoring, run.talks);
  }
  if (output.json) {
    std::cout << to_json(score, instances) << "\n";
  } else {
    std::cout << counted(run.talks.size(), "talk") << " under " << run.policy << " at "
              << json_number(plan.rate) << " words per second\n"
              << to_table(score, "milliseconds of speech");
    if (!plan.glossary.empty()) {
      std::cout << "Glossary: " << run.written_terms << " of " << counted(run.terms, "term")
                << " in the source are in the translation\n";
    }
  }
  std::cout << std::flush;
}

SweepRun sweep_run_of_talk(const DocumentPlan& plan, const NamedTestSet& talk,
                           const SentenceProgress& progress) {
  TestSet texts = talk.texts;
  texts.groups.assign(texts.sources.size(), talk.name);
  const DocumentRun run = translate_talks(plan, texts, progress);
  warn(run);
  const LogScore score = score_log(instances_of(run));
  SweepRun row;
  row.policy = run.policy;
  row.scores.sentences = texts.sources.size();
  row.scores.bleu = score.bleu.value();
  row.scores.chrf = score.chrf.value();
  row.scores.words = score.mean;
  row.aware = score.aware_mean;
  return row;
}

}  // namespace surtitle
