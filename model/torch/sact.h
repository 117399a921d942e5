// Cross-attention with a temperature that adapts to each step (SACT).
//
// Lin et al., "Learning When to Concentrate or Divert Attention: Self-Adaptive Attention
// Temperature for Neural Machine Translation", EMNLP 2018, equations 5-8. The heads of a layer
// share one temperature.
//
//   beta_t = tanh(W_c c_(t-1) + U_s s_t)
//   tau_t = lambda^beta_t
//   w_tj = softmax_j(q_t k_j / tau_t)
//
// s_t is the scaled query [C]. c_(t-1) is the layer's context of the step before, [C]: all heads
// side by side, before the output projection; c_(-1) = 0. temperature_c = W_c [C, 1], temperature_s
// = U_s [C, 1]. The aligned position p is the target index.
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class SactAttentionImpl final : public CrossAttentionImpl {
 public:
  SactAttentionImpl(const SactOptions& options, const std::vector<CrossTensor>& tensors,
                    int d_model, int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

  bool recurrent() const override { return true; }

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;

 private:
  SactOptions options_;
};

}  // namespace surtitle
