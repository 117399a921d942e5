// Adds a classifier for the ends of meaning units to a model, for `surtitle segment`.
#pragma once

#include <cstddef>
#include <filesystem>

#include "daemon/evaluation/evaluation.h"
#include "model/engine/meaning_units.h"

namespace surtitle {

struct SegmentationRequest {
  std::filesystem::path model;
  std::filesystem::path source;  // text in the model's source language, one sentence per line
  std::filesystem::path output;  // folder of the new package; its last part is the package's name
  int sentences = 0;             // number of lines to use, from the first; 0: all
  int threads = 0;               // 0: one for each processor
};

// The quality of the classifier at probability 0.5. Every tenth sentence is held out: the
// classifier is not fitted to it, and precision and recall are measured on it.
struct SegmentationRun {
  std::size_t sentences = 0;  // to which the classifier is fitted
  std::size_t tokens = 0;     // source tokens of these sentences
  double share = 0;           // share of these tokens that end a unit
  std::size_t held_out = 0;   // source tokens of the held-out sentences
  double held_out_share = 0;  // share of these tokens that end a unit
  double precision = 0;       // 0 if the classifier found no end
  double recall = 0;          // 0 if there was no end
};

// Writes a copy of the model's package with a classifier and the policy `mu`, which replaces a
// classifier of that package. `progress` may be empty. Throws std::runtime_error with one line on
// bad input, or if the output exists and is not an empty folder.
SegmentationRun segment_package(const SegmentationRequest& request,
                                const PartProgress& progress = {});

}  // namespace surtitle
