// Many models and policies over test sets in one run: the rows of a latency-quality curve.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "daemon/evaluation/evaluation.h"

namespace surtitle {

struct NamedTestSet {
  std::string name;  // "tatoeba.test"
  TestSet texts;
};

struct SweepPlan {
  std::vector<NamedTestSet> test_sets;
  std::vector<std::filesystem::path> models;  // packages
  std::vector<std::string> policies;          // specs, without ranges
  bool untrained = false;                     // also policies that a model was not trained for
  TranslatorOptions translator;
};

// BLEU of the sentences whose source has at most so many words, and more than the bucket before.
struct LengthBucket {
  int most_words = 0;  // of the last bucket: of the longest source
  std::size_t sentences = 0;
  double bleu = 0;
};

// What one model did to one test set under one policy.
struct SweepRun {
  std::string test_set;
  std::string model;   // the package's name
  std::string policy;  // spec
  bool trained = true;
  Evaluation scores;
  double tokens_per_second = 0;
  // Target tokens before which 0, 1, 2, ... source tokens were read; the last counts all that are
  // as many or more.
  std::array<std::int64_t, 9> steps{};
  std::vector<LengthBucket> lengths;  // every 10 source words, those without a sentence left out
};

// Test set by test set, model by model, policies in their order. `progress` (may be empty) is told
// of each run when it is done. Throws std::runtime_error or std::invalid_argument with one line
// where a package or policy is no good, or where no model was trained for any of the policies.
std::vector<SweepRun> run_sweep(const SweepPlan& plan,
                                const std::function<void(const SweepRun&)>& progress);

}  // namespace surtitle
