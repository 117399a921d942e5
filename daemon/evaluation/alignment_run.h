// Forcing a reference through a model and reading word alignments off its attention: what
// `surtitle align` reports.
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
  std::string policy;          // a spec; the package's default where empty
  // Of the decoder, from 0; the last one where none is named: with both shipped models its AER on
  // tests/data/alignment is the lowest (0.66, 0.75, 0.81 from the last to the first of de-en-gma
  // under gma:delta=2; 0.58, 0.61, 0.77 of de-en-multipath under full-sentence).
  std::optional<int> layer;
  int threads = 0;  // 0: one a processor
};

// Entropy of attention over source tokens, in nats: a layer's mean over heads, mean over the steps
// of a sentence, mean over the sentences of these lengths (Zhang & Feng 2021, table 6).
struct EntropyByLength {
  int least_words = 0;  // of the source
  int most_words = 0;
  int sentences = 0;
  double entropy = 0;
};

// The gate of a layer that mixes Gaussians with dot-product attention, over all steps of all
// sentences: near 1 attention is the Gaussians' (Zhang & Feng 2021, figure 5).
struct GateDistribution {
  int layer = 0;
  std::int64_t steps = 0;
  double mean = 0;
  std::array<double, 10> histogram{};  // shares of the steps, from [0, 0.1) to [0.9, 1]
};

struct AlignmentRun {
  std::vector<Alignment> alignments;
  std::string policy;  // the spec that it ran under
  bool trained_for_policy = true;
  int layer = 0;
  std::optional<AlignmentScores> scores;  // with gold
  std::optional<double> share_read;       // with gold
  int gold_beyond = 0;  // gold links of words that the texts do not have; none of them is found
  std::vector<EntropyByLength> entropy;  // by length; lengths without a sentence are left out
  std::vector<GateDistribution> gates;   // of the layers that predict one, whatever `layer` is
};

// `progress` (may be empty) is told the number of finished sentences. Throws std::runtime_error or
// std::invalid_argument with one line on bad input.
AlignmentRun align_package(const AlignmentRequest& request, const TestSet& texts,
                           const std::function<void(std::size_t)>& progress = {});

}  // namespace surtitle
