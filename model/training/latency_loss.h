// Loss of the expected delays of monotonic heads (Ma et al. 2020, section 2.3).
//
// For each sentence
//
//   g_n(i) = sum_j (j + 1) alpha_n(ij)        source tokens that head n has read at step i
//   L = average DAL(sum_n softmax_n(g_n) g_n) + variance mean_i mean_n (g_n(i) - mean_n g_n(i))^2
//   DAL(g) = 1 / |y| sum_i (g'_i - i |x| / |y|),  g'_i = max(g_i, g'_(i-1) + |x| / |y|)
//
// with n over the heads of all monotonic layers, j and i from 0. DAL is differentiable average
// lagging (Cherry & Foster 2019); the softmax weights the latest heads most. The average term
// shortens the heads' waiting. The variance term keeps heads close together, and so the furthest,
// for which a step waits, close to the rest.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/training/recipe.h"

namespace surtitle {

// Returns the sum of L over the sentences, a differentiable scalar. alphas: of each monotonic
// layer, [B, H, T, S], 0 after a source's end; lengths int64 [B], ends of sentences included.
// Thread-safety: may be called from any thread.
torch::Tensor latency_loss(const std::vector<torch::Tensor>& alphas,
                           const torch::Tensor& source_lengths, const torch::Tensor& target_lengths,
                           const LatencyWeights& weights);

}  // namespace surtitle
