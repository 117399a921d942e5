#include "daemon/commands/evaluate_document.h"

#include <iostream>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/commands/result_file.h"
#include "daemon/evaluation/instance_scores.h"

namespace surtitle {

void evaluate_document(const DocumentPlan& plan, const TestSet& test_set,
                       const DocumentOutput& output) {
  ResultFile translations(output.translations);
  const DocumentRun run =
      translate_talks(plan, test_set, progress_on_terminal(test_set.sources.size()));
  for (const std::string& warning : run.warnings) {
    std::cerr << "surtitle evaluate: " << warning << "\n";
  }
  std::vector<ReferenceRecording> references;
  std::vector<RecordedTranslation> texts;
  for (const ScoringTalk& talk : run.talks) {
    references.push_back(talk.reference);
    texts.push_back(talk.translation);
  }
  const std::vector<Instance> instances = resegment(references, texts);
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
  }
  std::cout << std::flush;
}

}  // namespace surtitle
