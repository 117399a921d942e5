#include "daemon/replay/document_run.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "daemon/replay/offline_stream.h"
#include "daemon/replay/scoring_talk.h"
#include "model/package/package.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

struct Talk {
  std::string name;
  std::vector<std::string> sources;
  std::vector<std::string> references;
};

std::vector<Talk> talks_of(const TestSet& test_set) {
  std::vector<Talk> talks;
  for (std::size_t i = 0; i < test_set.sources.size(); ++i) {
    const std::string& name = test_set.groups[i];
    if (i == 0 || name != test_set.groups[i - 1]) {
      if (std::any_of(talks.begin(), talks.end(),
                      [&](const Talk& known) { return known.name == name; })) {
        throw std::runtime_error("the lines of talk '" + name + "' must follow each other");
      }
      talks.push_back({name, {}, {}});
    }
    talks.back().sources.push_back(test_set.sources[i]);
    talks.back().references.push_back(test_set.references[i]);
  }
  return talks;
}

ScoringTalk translate(OfflineModels& models, const protocol::Start& start, double rate,
                      const Talk& talk, DocumentRun& run) {
  std::vector<TimedText> texts = spoken_at(talk.sources, rate);
  if (texts.empty()) {
    throw std::runtime_error("talk '" + talk.name + "' has no words");
  }
  std::vector<int> words;
  for (const std::string& line : talk.sources) {
    words.push_back(static_cast<int>(split_words(line).size()));
  }
  for (TimedText& timed : texts) {
    timed.ends_sentence = false;
  }
  ReplayReport report(1);
  RecordedRun recorded = run_offline(models, start, make_timed_transcript(std::move(texts), rate),
                                     report, run.warnings, WriteTimes::kMeasured);
  run.policy = recorded.policy;
  run.terms += recorded.terms;
  run.written_terms += recorded.written_terms;
  std::optional<ScoringTalk> scored =
      scoring_talk(recorded, talk.name, 1000 / rate, talk.references, words);
  if (!scored) {
    throw std::runtime_error("the translation of talk '" + talk.name +
                             "' has not one time for each word");
  }
  return std::move(*scored);
}

}  // namespace

DocumentRun translate_talks(const DocumentPlan& plan, const TestSet& test_set,
                            const std::function<void(std::size_t)>& progress) {
  OfflineModels models({plan.model}, plan.translator);
  const std::size_t index = models.find(load_description(plan.model / "model.yaml").name);
  const ModelInfo& model = models.infos()[index];
  protocol::Start start;
  start.model = model.name;
  start.source = model.source_language;
  start.target = model.target_language;
  start.source_form = plan.source_form;
  start.glossary = plan.glossary;
  if (!plan.policy.empty()) {
    start.policy = plan.policy;
  }
  DocumentRun run;
  std::size_t done = 0;
  for (const Talk& talk : talks_of(test_set)) {
    run.talks.push_back(translate(models, start, plan.rate, talk, run));
    done += talk.sources.size();
    if (progress) {
      progress(done);
    }
  }
  return run;
}

}  // namespace surtitle
