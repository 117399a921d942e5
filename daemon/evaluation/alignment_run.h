// Derives word alignments from a model's attention, for `surtitle align`.
//
// The reference is forced through the model, whose attention then gives the alignments.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/evaluation/evaluation.h"
#include "metrics/alignment.h"

namespace surtitle {

struct AlignmentRequest {
  std::filesystem::path model;
  std::filesystem::path gold;  // read_gold_alignments(); may be empty
  std::string policy;          // a spec; empty: see open_forced_model()
  // Decoder layer, from 0; nullopt: the last. The last layer has the lowest AER of both shipped
  // models on tests/data/alignment. From the last layer to the first, AER is 0.66, 0.75, 0.81 for
  // de-en-gma-small under gma:delta=2, and 0.58, 0.61, 0.77 for de-en-multipath under
  // full-sentence.
  std::optional<int> layer;
  int threads = 0;  // 0: one for each processor
};

// Entropy of attention over source tokens, in nats, for sentences of some lengths. It is a mean
// over the heads of a layer, the steps of a sentence, and the sentences (Zhang & Feng 2021, table
// 6).
struct EntropyByLength {
  int least_words = 0;  // of the source
  int most_words = 0;
  int sentences = 0;
  double entropy = 0;
};

// The gate of a layer that mixes Gaussians with dot-product attention, over all steps of all
// sentences. Near 1, attention is that of the Gaussians (Zhang & Feng 2021, figure 5).
struct GateDistribution {
  int layer = 0;
  std::int64_t steps = 0;
  double mean = 0;
  std::array<double, 10> histogram{};  // shares of the steps, from [0, 0.1) to [0.9, 1]
};

struct AlignmentRun {
  std::vector<Alignment> alignments;
  std::string policy;  // the spec of the run
  bool trained_for_policy = true;
  int layer = 0;
  std::optional<AlignmentScores> scores;  // with gold
  std::optional<double> share_read;       // with gold
  int gold_beyond = 0;  // gold links to words beyond the end of a sentence; they are never found
  std::vector<EntropyByLength> entropy;  // by length; lengths without sentences are left out
  std::vector<GateDistribution> gates;   // of all layers that have a gate
};

// Aligns the test set. `progress` (may be empty) receives the number of finished sentences. Throws
// std::runtime_error or std::invalid_argument with one line on bad input.
AlignmentRun align_package(const AlignmentRequest& request, const TestSet& texts,
                           const SentenceProgress& progress = {});

}  // namespace surtitle
