// Finds the cross-attention heads that align target tokens with source words, for the policy
// alignatt: `surtitle align --calibrate`.
//
// The reference is forced through the model. At the step after a target token, the last decoder
// layer but one attends most to the word that the token translates (Garg et al. 2019, "Jointly
// Learning to Align and Translate with Transformer Models"). A head agrees if its own largest
// weight, one step earlier, is at the same word. The policy has only that earlier step before it
// writes the token.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "daemon/evaluation/evaluation.h"
#include "model/package/package.h"

namespace surtitle {

struct AlignmentHeadsRun {
  std::size_t tokens = 0;            // target tokens that were compared
  std::vector<double> agreement;     // share of the tokens, by layer and head: [layers * heads]
  std::vector<AlignmentHead> heads;  // whose mean weights agree best, the best head first
  double together = 0;               // share of the tokens for which the mean of `heads` agrees
};

// Finds the heads on sentence pairs; a few hundred suffice. `threads`: 0: one for each processor.
// `progress` (may be empty) receives the number of finished sentences. Throws std::runtime_error or
// std::invalid_argument with one line on bad input.
AlignmentHeadsRun find_alignment_heads(const Package& package, const TestSet& texts, int threads,
                                       const std::function<void(std::size_t)>& progress = {});

}  // namespace surtitle
