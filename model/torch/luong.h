// Global and local attention (Luong et al. 2015) in the heads of cross-attention.
//
// Luong et al., "Effective Approaches to Attention-based Neural Machine Translation", EMNLP 2015,
// section 3. h_t is the head's scaled query [d], h_s its key [d]. Positions count from 0; S is the
// number of visible source tokens; the policy's p is the target index.
//
//   score dot:     h_t . h_s                                                          eq. 8
//         general: h_t^T W_a h_s, score_w [H d, d]: a matrix for each head
//         concat:  v_a^T tanh(W_a [h_t; h_s]), score_w [H d, 2d], score_v [H, d]
//   reach global:  w_s = softmax_s(score)                                             eq. 7
//         local-m: the same over the window [p_t - D, p_t + D], p_t = min(t, S - 1)
//         local-p: p_t = S sigmoid(v_p^T tanh(W_p h_t)) with h_t of all heads side by side,
//                  local_w [C, C] (row vector times matrix), local_v [C, 1];          eq. 9
//                  w_s = softmax over the window (score) exp(-(s - p_t)^2 / (2 (D/2)^2)),
//                  not renormalised                                                   eq. 10
//   input feeding (3.3): the query is q_t + F a_(t-1), with the attentional vector
//         a_t = tanh(W_c [c_t; q_t + F a_(t-1)]), a_(-1) = 0, c_t the context of all heads;  eq. 5
//         feed_w = F [C, C], attentional_w = W_c [C, 2C].
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class LuongAttentionImpl final : public CrossAttentionImpl {
 public:
  LuongAttentionImpl(const LuongOptions& options, const std::vector<CrossTensor>& tensors,
                     int d_model, int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

  bool recurrent() const override { return options_.input_feeding; }

 protected:
  torch::Tensor scores(const torch::Tensor& query, const torch::Tensor& key) const override;
  Weighting weigh(const CrossStep& step, std::int64_t source) const override;
  torch::Tensor feed(const CrossStep& step) const override;
  torch::Tensor remember(const CrossStep& step, const torch::Tensor& context) const override;

 private:
  LuongOptions options_;
};

}  // namespace surtitle
