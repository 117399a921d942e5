// Translates a test set offline and scores the result.
//
// `surtitle evaluate` and the dev scores of training use it.
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

// Returns the length of a reference for latency: its pieces between single spaces, as SimulEval has
// it. If it has words of a script without spaces, returns the number of its words.
int reference_length(std::string_view reference);

// Returns the text with a space between its words if it has some of a script without spaces, for
// metrics that divide text at spaces. Other text stays as it is.
std::string spaced_words(const std::string& text);

// Returns the text with spaces around each character of such scripts and their signs. BLEU with the
// tokenisation 13a of such text is close to sacreBLEU's BLEU with the tokenisation zh.
std::string spaced_characters(const std::string& text);

// Returns the lines of a text file. Throws std::runtime_error if the file cannot be read, is empty
// or is not UTF-8 (FILE:LINE).
std::vector<std::string> read_sentences(const std::filesystem::path& file);

// Receives the number of finished sentences, from any thread, one call at a time.
using SentenceProgress = std::function<void(std::size_t)>;
// Returns the progress of one part of the work, which has this name and this number of sentences.
using PartProgress =
    std::function<SentenceProgress(const std::string& part, std::size_t sentences)>;

// Sentences and their reference translations. The lists have the same size.
struct TestSet {
  std::vector<std::string> sources;
  std::vector<std::string> references;
  std::vector<std::string> groups = {};  // the name of each sentence's group; empty: no groups

  void append(TestSet other);
};

// Reads two text files with one sentence per line, only the first `limit` lines if it is above 0.
// Converts the sources to `form`; a sentence that has only punctuation may become empty. Throws
// std::runtime_error as read_sentences() does, or if the files differ in their number of lines.
TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference,
                      int limit, TextForm form = TextForm::kWritten);

// Whether latency over tokens counts the end of sentence as a token of source and target, as GMA's
// released code does.
enum class EndOfSentence { kLeftOut, kCounted };

struct Evaluation {
  BleuScore bleu;
  double chrf = 0;
  LatencyScores words;  // means; words of a reference are those between single spaces
  // Means. As in GMA, the length of the translation replaces that of the reference.
  LatencyScores tokens;
  EndOfSentence end_of_sentence = EndOfSentence::kLeftOut;  // in `tokens`
  std::size_t sentences = 0;
  std::int64_t target_tokens = 0;
};

// REQUIRES: translations.size() == references.size().
Evaluation score_translations(std::span<const OfflineTranslation> translations,
                              std::span<const std::string> references,
                              EndOfSentence end_of_sentence);

// Returns the BLEU of resampled test sets (metrics/bleu.h). REQUIRES: as above.
std::vector<double> resampled_bleu(std::span<const OfflineTranslation> translations,
                                   std::span<const std::string> references, int resamples);

struct GroupScores {
  std::string group;
  Evaluation scores;
};

// Returns the scores of each group of the test set. REQUIRES: one translation for each sentence.
std::vector<GroupScores> score_groups(std::span<const OfflineTranslation> translations,
                                      const TestSet& test_set, EndOfSentence end_of_sentence);

// Returns the instances for a log in SimulEval's format, over words.
std::vector<Instance> to_instances(std::span<const OfflineTranslation> translations,
                                   const TestSet& test_set);

struct EvaluationRun {
  std::vector<OfflineTranslation> translations;
  Evaluation scores;
  std::vector<double> resampled_bleu;  // of resampled test sets, or empty
  std::vector<GroupScores> groups;     // in the order of their first sentences
  double tokens_per_second = 0;        // target tokens; without the time to load the model
  std::string policy;                  // the spec of the run
  bool trained_for_policy = true;
};

// Loads the package and translates the test set under `policy` (empty: the package's default).
// `progress` (may be empty) receives the number of finished sentences. Throws std::runtime_error or
// std::invalid_argument with one line on bad input.
EvaluationRun evaluate_package(const std::filesystem::path& package, const TestSet& test_set,
                               const std::string& policy, const TranslatorOptions& options,
                               const SentenceProgress& progress = {});

// Returns BLEU and AL (words) of a package over the first `sentences` sentences of all texts
// together.
DevScore score_on_dev(const std::filesystem::path& package, std::span<const ParallelText> texts,
                      int sentences, const std::string& policy, const TranslatorOptions& options);

}  // namespace surtitle
