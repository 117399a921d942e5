#include "daemon/evaluation/sweep.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "metrics/bleu.h"
#include "model/package/package.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr int kBucketWords = 10;

struct Task {
  std::filesystem::path model;
  std::string name;  // of the model
  std::string policy;
  bool trained = true;
};

std::vector<Task> list_tasks(const SweepPlan& plan) {
  std::vector<Task> tasks;
  for (const auto& model : plan.models) {
    const PackageDescription description = open_package(model).description;
    const std::vector<std::string>& trained = description.policies;
    for (const std::string& policy : plan.policies) {
      const std::string needed = make_policy(policy)->training_family();
      const bool is_trained = std::find(trained.begin(), trained.end(), needed) != trained.end();
      if (plan.untrained || is_trained) {
        tasks.push_back({model, description.name, policy, is_trained});
      }
    }
  }
  if (tasks.empty()) {
    throw std::runtime_error(
        "no model was trained for any of the policies; --untrained evaluates them anyway");
  }
  return tasks;
}

std::vector<LengthBucket> bleu_by_length(const std::vector<OfflineTranslation>& translations,
                                         const std::vector<std::string>& references) {
  struct Texts {
    std::vector<std::string> hypotheses;
    std::vector<std::string> references;
  };
  std::map<int, Texts> buckets;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    const int bucket = std::max(translations[i].source_words - 1, 0) / kBucketWords;
    buckets[bucket].hypotheses.push_back(translations[i].text);
    buckets[bucket].references.push_back(references[i]);
  }
  std::vector<LengthBucket> lengths;
  lengths.reserve(buckets.size());
  for (const auto& [bucket, texts] : buckets) {
    lengths.push_back({.most_words = (bucket + 1) * kBucketWords,
                       .sentences = texts.references.size(),
                       .bleu = corpus_bleu(texts.hypotheses, texts.references).score});
  }
  return lengths;
}

SweepRun evaluate_sentences(const SweepPlan& plan, const Task& task, const NamedTestSet& set,
                            const SentenceProgress& progress) {
  const EvaluationRun result =
      evaluate_package(task.model, set.texts, task.policy, plan.translator, progress);
  SweepRun run;
  run.policy = result.policy;
  run.scores = result.scores;
  run.tokens_per_second = result.tokens_per_second;
  run.lengths = bleu_by_length(result.translations, set.texts.references);
  for (const OfflineTranslation& translation : result.translations) {
    int read = 0;
    for (std::size_t i = 0; i < translation.tokens.size(); ++i) {
      const auto step = static_cast<std::size_t>(std::max(translation.reads[i] - read, 0));
      ++run.steps[std::min(step, run.steps.size() - 1)];
      read = std::max(read, translation.reads[i]);
    }
  }
  return run;
}

// `place`: "3/12", of the run among all runs.
SweepRun run_task(const SweepPlan& plan, const Task& task, const NamedTestSet& set,
                  const std::string& place) {
  SentenceProgress progress;
  if (plan.progress) {
    progress = plan.progress(place + " " + set.name + " " + task.name + " " + task.policy,
                             set.texts.sources.size());
  }
  SweepRun run = plan.evaluate ? plan.evaluate(task.model, task.policy, set, progress)
                               : evaluate_sentences(plan, task, set, progress);
  run.test_set = set.name;
  run.model = task.name;
  run.trained = task.trained;
  return run;
}

}  // namespace

std::vector<SweepRun> run_sweep(const SweepPlan& plan,
                                const std::function<void(const SweepRun&)>& finished) {
  const std::vector<Task> tasks = list_tasks(plan);
  const std::string all = "/" + std::to_string(plan.test_sets.size() * tasks.size());
  std::vector<SweepRun> runs;
  for (const NamedTestSet& set : plan.test_sets) {
    for (const Task& task : tasks) {
      runs.push_back(run_task(plan, task, set, std::to_string(runs.size() + 1) + all));
      if (finished) {
        finished(runs.back());
      }
    }
  }
  return runs;
}

}  // namespace surtitle
