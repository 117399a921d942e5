// Evaluates several models and policies on test sets, for latency-quality curves.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/evaluation/evaluation.h"

namespace surtitle {

struct NamedTestSet {
  std::string name;  // "tatoeba.test"
  TestSet texts;
};

// BLEU of the sentences whose source has at most `most_words` words, and more than the bucket
// before.
struct LengthBucket {
  int most_words = 0;
  std::size_t sentences = 0;
  double bleu = 0;
};

// The result of one model under one policy on one test set.
struct SweepRun {
  std::string test_set;
  std::string model;   // name of the package
  std::string policy;  // spec
  bool trained = true;
  Evaluation scores;
  // Computation aware. If there are such scores, the latencies are in milliseconds of speech.
  std::optional<LatencyScores> aware;
  std::optional<double> tokens_per_second;
  // steps[n]: target tokens immediately before which n source tokens were read; the last element
  // also counts larger n.
  std::array<std::int64_t, 9> steps{};
  std::vector<LengthBucket> lengths;  // every 10 source words; buckets without sentences left out
};

struct SweepPlan {
  std::vector<NamedTestSet> test_sets;
  std::vector<std::filesystem::path> models;  // packages
  std::vector<std::string> policies;          // specs, without ranges
  bool untrained = false;                     // include policies that a model was not trained for
  TranslatorOptions translator;
  // Evaluates a package under a policy. By default, sentence by sentence.
  std::function<SweepRun(const std::filesystem::path& model, const std::string& policy,
                         const NamedTestSet& set, const SentenceProgress& progress)>
      evaluate;
  PartProgress progress;  // of each run; may be empty
};

// Runs are ordered by test set, then model, then policy. `finished` (may be empty) receives each
// run when it is done. Throws std::runtime_error or std::invalid_argument with one line if a
// package or policy is invalid, or if no model was trained for any of the policies.
std::vector<SweepRun> run_sweep(const SweepPlan& plan,
                                const std::function<void(const SweepRun&)>& finished);

}  // namespace surtitle
