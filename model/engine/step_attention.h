// What a decoder step looked at, for who asked to see it.
#pragma once

#include <vector>

namespace surtitle {

// One layer's cross-attention.
struct LayerAttention {
  std::vector<float> weights;    // of each source token that the layer saw: the mean of its heads,
                                 // whose sum is 1, but for mixtures
  std::vector<float> positions;  // aligned ones, counted from 0: of each head, or one that all
                                 // share; none where the layer predicts none
};

using StepAttention = std::vector<LayerAttention>;  // by decoder layer, the lowest first

}  // namespace surtitle
