// Classifier for the ends of meaning units, for the policy `mu`.
//
// Zhang, Zhang, He, Wu & Wang 2020, "Learning adaptive segmentation policy for simultaneous
// translation".
//
// The labels are the model's own. A prefix of the source ends a unit if its translation is a prefix
// of the whole sentence's and longer than that of the unit before. The prefix is translated as the
// policy will translate it: greedily, without an end of sentence, which has not arrived.
//
// The classifier is linear, on the causal encoder's state h_j of source token j:
//
//   P(a unit ends with token j) = sigmoid(w h_j + b)
//
// The paper's classifier is a separate network that may see the following words. A causal state is
// final when its token arrives, so this classifier costs a product and no delay. In a package it is
// encoder.unit_end.weight [1, C] and encoder.unit_end.bias [1], C = d_model.
//
// Thread-safety: free functions; call them from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/package/package.h"

namespace surtitle {

// Encoder states of source tokens, each with a label: whether a unit ends there.
struct UnitExamples {
  std::size_t width = 0;      // C
  std::vector<float> states;  // [N, C]
  std::vector<bool> ends;     // [N]

  std::span<const float> state(std::size_t index) const {
    return std::span(states).subspan(index * width, width);
  }
};

struct LabelOptions {
  int threads = 1;
  int sentences = 64;     // in one batch
  int source_tokens = 0;  // of the longest sentence, without end of sentence
};

// Translates every prefix of every sentence (token ids, without end of sentence) with the model.
// `progress` (may be empty) receives the number of finished sentences. Throws std::length_error if
// a sentence is longer than options.source_tokens. Defined in model/analysis/unit_labels.cpp (link
// surtitle_analysis).
UnitExamples label_units(const Package& package, std::span<const std::vector<int>> sources,
                         const LabelOptions& options,
                         const std::function<void(std::size_t)>& progress = {});

// Returns the classifier [C + 1] of least logistic loss, with |w|^2 / 2 added to the sum of losses.
// Newton's method in float64 finds it, so that the same examples give the same numbers. Throws
// std::runtime_error if no example ends a unit, or all do.
std::vector<float> fit_unit_ends(const UnitExamples& examples);

}  // namespace surtitle
