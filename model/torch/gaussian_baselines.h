// Two baselines of the papers: hard-coded Gaussian attention and localness.
//
// Positions count from 0. J is the number of visible source tokens. The aligned position p is the
// target index.
//
// Hard-coded Gaussian attention (You et al., "Hard-Coded Gaussian Attention for Neural Machine
// Translation", ACL 2020, section 2), queries and keys unused: head h at target position t has
//   w_j = N(j; ratio t + offset_h, sigma^2), offset_h = -1, 0, 1, -1, ... over the heads.
//
// Localness (Yang et al., "Modeling Localness for Self-Attention Networks", EMNLP 2018, section 3)
// on cross-attention, one Gaussian for all heads, with localness_w [C, C] and localness_v [C, 2]:
//   [p^, z^] = tanh(Q(s) localness_w) localness_v
//   P = J sigmoid(p^), sigma = J sigmoid(z^) / 2, at least 0.1
//   w_j = softmax_j(e_j - (j - P)^2 / (2 sigma^2))
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class HardCodedAttentionImpl final : public CrossAttentionImpl {
 public:
  HardCodedAttentionImpl(const HardCodedOptions& options, const std::vector<CrossTensor>& tensors,
                         int d_model, int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;

 private:
  HardCodedOptions options_;
};

class LocalnessAttentionImpl final : public CrossAttentionImpl {
 public:
  LocalnessAttentionImpl(const LocalnessOptions&, const std::vector<CrossTensor>& tensors,
                         int d_model, int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout) {}

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;
};

}  // namespace surtitle
