// Cross-attention of one decoder step, for clients that request it.
#pragma once

#include <vector>

namespace surtitle {

// One layer's cross-attention.
struct LayerAttention {
  std::vector<float> weights;    // of each source token that the layer saw: the mean over heads,
                                 // which sums to 1, except of mixtures
  std::vector<float> positions;  // aligned positions from 0: one for the layer, or one for each
                                 // head or component; empty if the layer predicts none
};

using StepAttention = std::vector<LayerAttention>;  // by decoder layer, the lowest first

}  // namespace surtitle
