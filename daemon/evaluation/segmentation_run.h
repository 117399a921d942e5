// Teaching a model where meaning units end: what `surtitle segment` does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "model/engine/meaning_units.h"

namespace surtitle {

struct SegmentationRequest {
  std::filesystem::path model;
  std::filesystem::path source;  // text in the model's source language, a sentence a line
  std::filesystem::path output;  // folder of the new package, and its name
  int sentences = 0;             // so many first lines; 0: all
  int threads = 0;               // 0: one a processor
};

// How well the classifier tells, at probability 0.5, the ends in sentences that it was not fitted
// to: every tenth.
struct SegmentationRun {
  std::size_t sentences = 0;  // that it was fitted to
  std::size_t tokens = 0;     // source tokens of them
  double share = 0;           // of them that end a unit
  std::size_t held_out = 0;   // source tokens
  double held_out_share = 0;
  double precision = 0;  // 0 where none was found
  double recall = 0;     // 0 where there was none
};

// Told of finished sentences, and of all.
using SegmentationProgress = std::function<void(std::size_t done, std::size_t sentences)>;

// Writes the model's package with a classifier, for the policy `mu` too. One that it had is
// replaced. `progress` may be empty. Throws std::runtime_error with one line on bad input.
SegmentationRun segment_package(const SegmentationRequest& request,
                                const SegmentationProgress& progress = {});

}  // namespace surtitle
