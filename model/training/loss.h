// Label-smoothed cross-entropy fused with the output projection, for training.
//
// Thread-safety: label_smoothed_loss() may be called from any thread.
#pragma once

#include <torch/torch.h>

namespace surtitle {

struct Loss {
  torch::Tensor
      smoothed;  // scalar with gradient: mean over tokens of the label-smoothed loss (nats)
  double negative_log_likelihood = 0;  // sum over tokens, without smoothing (nats)
};

// The projection from states to logits.
struct OutputProjection {
  torch::Tensor embedding;  // [V, C]
  torch::Tensor bias = {};  // [V], or undefined
};

// Returns the loss of states [N, C] of real (not padded) target positions, with targets int64 [N]:
//
//   loss_n = (1 - smoothing) * -log P(y_n) + smoothing / V * sum_v -log P(v)
//
// Only some thousand rows of logits exist at a time, and their gradient replaces them in place.
// Otherwise, [N, V] tensors would be the largest of the whole step. On the CPU, each row takes one
// pass. Matrix products are computed in the type `compute`.
Loss label_smoothed_loss(const torch::Tensor& states, const OutputProjection& output,
                         const torch::Tensor& targets, double smoothing, torch::ScalarType compute);

}  // namespace surtitle
