// The functions of daemon/evaluation/evaluation.h that need a model.

#include <chrono>
#include <stdexcept>

#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/text_model.h"
#include "policies/registry.h"

namespace surtitle {

EvaluationRun evaluate_package(const std::filesystem::path& package, const TestSet& test_set,
                               const std::string& policy, const TranslatorOptions& options,
                               const SentenceProgress& progress) {
  TextModel model = open_text_model(package, policy);
  const auto translators = load_translators(package, options);
  const ModelInfo& info = translators.front()->info();
  if (policy.empty()) model.policy = make_policy(info.default_policy);
  if (const auto unsupported = unsupported_policy(info, *model.policy))
    throw std::invalid_argument(*unsupported);

  EvaluationRun run;
  run.policy = model.policy->spec();
  run.trained_for_policy = model.trained_for_policy;
  const auto start = std::chrono::steady_clock::now();
  run.translations = translate_offline(translators, model.package.tokenizers, test_set.sources,
                                       model.policy, progress);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  // Models of pre-tokenised text are those that GMA released, so tokens are counted as in its code.
  const auto end_of_sentence =
      model.package.description.tokenizer.type == TokenizerFiles::Type::kDictionary
          ? EndOfSentence::kCounted
          : EndOfSentence::kLeftOut;
  run.scores = score_translations(run.translations, test_set.references, end_of_sentence);
  run.groups = score_groups(run.translations, test_set, end_of_sentence);
  if (seconds.count() > 0) {
    run.tokens_per_second = static_cast<double>(run.scores.target_tokens) / seconds.count();
  }
  return run;
}

DevScore score_on_dev(const std::filesystem::path& package, std::span<const ParallelText> texts,
                      int sentences, const std::string& policy, const TranslatorOptions& options) {
  TestSet all;
  for (const ParallelText& text : texts) {
    all.append(read_test_set(text.source, text.target, sentences));
  }
  const Evaluation scores = evaluate_package(package, all, policy, options).scores;
  return {.bleu = scores.bleu.score, .average_lagging = scores.words.al.value_or(0)};
}

}  // namespace surtitle
