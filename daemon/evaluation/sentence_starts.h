// Measures a model's classifier of words that begin a sentence (StateClassifier::kSentenceStart).
//
// A text's lines are in their order and have case and punctuation. Runs of three lines are put into
// spoken form, and the model gives each word but a run's first the probability that it begins a
// sentence. A line begins a sentence, and so does the word after a stop inside a line. The
// probability follows from the words up to the word itself: one word of look-ahead.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/evaluation/evaluation.h"
#include "model/engine/translator.h"
#include "model/text/tokenizer.h"

namespace surtitle {

struct SpokenWord {
  std::string text;
  bool starts = false;  // it begins a sentence

  bool operator==(const SpokenWord&) const = default;
};
using SpokenRun = std::vector<SpokenWord>;

// Returns the runs of a text in `language`, "de".
std::vector<SpokenRun> spoken_runs(std::span<const std::string> lines, std::string_view language);

// A word's probability, and whether it begins a sentence.
struct WatchedWord {
  float probability = 0;
  bool starts = false;
};

// Returns the words of all runs, except for their first ones and those that have no tokens. A run
// ends at the model's limit. `progress` (may be empty) receives the number of lines that were read.
// REQUIRES: translator.info().watches_starts.
std::vector<WatchedWord> watch_runs(Translator& translator, const Tokenizer& tokenizer,
                                    std::span<const SpokenRun> runs,
                                    const SentenceProgress& progress = {});

struct StartScores {
  double threshold = 0;  // a word with a higher probability is taken for a start
  double precision = 0;  // 0 if no word is taken for a start
  double recall = 0;     // 0 if no word is a start
  double f1 = 0;
};
StartScores score_starts(std::span<const WatchedWord> words, double threshold);
// Returns the scores at the threshold, of 0.01 to 0.99, that has the highest F1.
StartScores best_scores(std::span<const WatchedWord> words);

// The scores of a text.
struct StartGroup {
  std::string name;
  std::size_t words = 0;
  std::size_t starts = 0;
  StartScores scores;  // at the threshold that was asked for
  StartScores best;
};

// Measures a package on each text, and last on all together. `limit`: lines of a text to use; 0:
// all. `progress` (may be empty): of each text. Throws std::runtime_error with one line if the
// package has no such classifier, or its device does not support it, or a text cannot be read.
std::vector<StartGroup> evaluate_starts(const std::filesystem::path& package,
                                        std::span<const std::filesystem::path> sources,
                                        double threshold, int limit,
                                        const TranslatorOptions& options,
                                        const PartProgress& progress = {});

}  // namespace surtitle
