// Linear classifiers on the causal encoder's state h_j of source token j:
//
//   P_j = sigmoid(w h_j + b)
//
// A causal state is final when its token arrives, so a classifier costs a product and no delay.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <span>

namespace surtitle {

enum class StateClassifier {
  kUnitEnd,        // a meaning unit ends with the token (model/engine/meaning_units.h)
  kSentenceStart,  // the word that ends with the token begins a sentence; for spoken text
};
inline constexpr std::size_t kStateClassifiers = 2;

// Returns P. `classifier` [C + 1]: w, then b. `state` [C].
float classifier_probability(std::span<const float> classifier, std::span<const float> state);

}  // namespace surtitle
