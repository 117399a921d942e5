// Translating a test set offline and scoring the result: what `surtitle evaluate` reports and
// training's dev scores are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/instance_log.h"
#include "metrics/latency.h"
#include "model/engine/offline.h"
#include "model/engine/translator.h"
#include "model/training/train.h"

namespace surtitle {

// The lines of a text file. Throws std::runtime_error where it cannot be read, is empty or is not
// UTF-8 (FILE:LINE).
std::vector<std::string> read_sentences(const std::filesystem::path& file);

// Sentences and their reference translations, as many of one as of the other.
struct TestSet {
  std::vector<std::string> sources;
  std::vector<std::string> references;
};

// Reads two text files, a sentence a line; the first `limit` lines where it is above 0. The sources
// in `form`, where a sentence of punctuation alone becomes empty. Throws std::runtime_error also
// where one has another number of lines than the other.
TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference,
                      int limit, TextForm form = TextForm::kWritten);

// Whether latency over tokens counts the end of sentence, as a token of both sides: GMA's released
// code does.
enum class EndOfSentence { kLeftOut, kCounted };

struct Evaluation {
  BleuScore bleu;
  double chrf = 0;
  LatencyScores words;  // means; a reference's words stand between single spaces
  // Means; the length of the translation stands for the reference's, as in GMA.
  LatencyScores tokens;
  EndOfSentence end_of_sentence = EndOfSentence::kLeftOut;  // in `tokens`
  std::size_t sentences = 0;
  std::int64_t target_tokens = 0;
};

// REQUIRES: as many references as translations.
Evaluation score_translations(std::span<const OfflineTranslation> translations,
                              std::span<const std::string> references,
                              EndOfSentence end_of_sentence);

// As in SimulEval's instances.log, over words.
std::vector<Instance> to_instances(std::span<const OfflineTranslation> translations,
                                   const TestSet& test_set);

struct EvaluationRun {
  std::vector<OfflineTranslation> translations;
  Evaluation scores;
  double tokens_per_second = 0;  // target tokens, without the time to load the model
  std::string policy;            // the spec that it ran under
  bool trained_for_policy = true;
};

// Loads the package and translates the test set under `policy` (the package's default where empty).
// `progress` (may be empty) is told the number of finished sentences. Throws std::runtime_error or
// std::invalid_argument with one line on bad input.
EvaluationRun evaluate_package(const std::filesystem::path& package, const TestSet& test_set,
                               const std::string& policy, const TranslatorOptions& options,
                               const std::function<void(std::size_t)>& progress = {});

// BLEU and AL (words) of a package over the first `sentences` of each text taken together.
DevScore score_on_dev(const std::filesystem::path& package, std::span<const ParallelText> texts,
                      int sentences, const std::string& policy, const TranslatorOptions& options);

}  // namespace surtitle
