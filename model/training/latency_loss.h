// Loss of the delays that a model decides by itself (Ma et al. 2020, section 2.3).
//
// A delay g_n(i) is the number of source tokens that n needs at target step i. n is a head of a
// monotonic layer, or a GMA layer.
//
//   monotonic head  g_n(i) = sum_j (j + 1) alpha_n(ij)
//   GMA layer       g_n(i) = min(p_n(i), |x|)
//
// For each sentence, with a = LatencyWeights::average and v = LatencyWeights::variance:
//
//   L = a DAL(sum_n softmax_n(g_n) g_n) + v mean_i mean_n (g_n(i) - mean_n g_n(i))^2
//   DAL(g) = 1 / |y| sum_i (g'_i - i |x| / |y|),  g'_i = max(g_i, g'_(i-1) + |x| / |y|)
//
// with j and i from 0. DAL is differentiable average lagging (Cherry & Foster 2019); the softmax
// weights the latest delays most. The first term shortens the delays. Without it, the aligned
// positions of GMA grow in training, because more source always lowers the translation's loss. The
// second term keeps the delays close together, and so the furthest, for which a step waits, close
// to the rest.
#pragma once

#include <torch/torch.h>

#include "model/training/recipe.h"

namespace surtitle {

// Returns the delays [B, H, T] of a monotonic layer's heads, from alpha [B, H, T, S], 0 after a
// source's end.
// Thread-safety: may be called from any thread.
torch::Tensor expected_delays(const torch::Tensor& alpha);

// Returns the delays [B, 1, T] of a GMA layer, from p [B, T] and int64 lengths [B].
// Thread-safety: may be called from any thread.
torch::Tensor aligned_delays(const torch::Tensor& p, const torch::Tensor& source_lengths);

// Returns the sum of L over the sentences, a differentiable scalar. delays [B, N, T]; lengths int64
// [B], ends of sentences included.
// Thread-safety: may be called from any thread.
torch::Tensor latency_loss(const torch::Tensor& delays, const torch::Tensor& source_lengths,
                           const torch::Tensor& target_lengths, const LatencyWeights& weights);

}  // namespace surtitle
