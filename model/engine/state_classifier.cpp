#include "model/engine/state_classifier.h"

#include <cmath>

namespace surtitle {

float classifier_probability(std::span<const float> classifier, std::span<const float> state) {
  float logit = classifier.back();
  for (std::size_t c = 0; c < state.size(); ++c) logit += classifier[c] * state[c];
  return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(logit))));
}

}  // namespace surtitle
