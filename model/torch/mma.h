// Hard monotonic multi-head attention, MMA-H (Ma, Pino, Cross, Puzon & Gu, "Monotonic Multihead
// Attention", ICLR 2020), for each head of a layer: q_i its scaled query [d], k_j and v_j its keys
// and values [d], r = energy_bias [H] learnt (Raffel et al. 2017; begins at the option `bias`).
// Positions count from 0; V_i is the number of source tokens that step i sees.
//
//   e_ij = q_i k_j + r,   p_ij = sigmoid(e_ij), but p_ij = 1 for j = V_i - 1            eq. 4, 5
//   hard, out of training: t_i = the first j >= t_(i-1) with p_ij >= threshold, t_(-1) = 0;
//     the context is v_j of j = t_i; which step sees what: model/engine/monotonic_stops.h
//   in training: e_ij with Gaussian noise (option `noise`), all of the source at once, and the
//     context is sum_j alpha_ij v_j with the expected alignment                      eq. 2, 3, 8
//     alpha_ij = p_ij sum_(k<=j) alpha_(i-1)k prod_(l=k..j-1) (1 - p_il),  alpha_(-1)0 = 1
//
// A head that finds no stop attends to the last token it sees and stays there: what the released
// code (fairseq's simultaneous_translation) does by default, "mass preservation". Queries and keys
// serve energies alone. More source moves no head that has stopped, so an end of sentence that is
// predicted early stands until the source is complete. The layer's p is that of the furthest head;
// in training it is not decided and infinite, so that the policies that look at it let a step see
// the whole source.
#pragma once

#include "model/torch/attention.h"
#include "policies/policy.h"

namespace surtitle {

class MmaAttentionImpl final : public CrossAttentionImpl {
 public:
  MmaAttentionImpl(const MmaOptions& options, const std::vector<CrossTensor>& tensors, int d_model,
                   int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

  bool seeks() const override { return !is_training(); }
  torch::Tensor energies(const torch::Tensor& query, const torch::Tensor& key_value) const override;
  torch::Tensor positions(const torch::Tensor& sums,
                          const torch::Tensor& target_index) const override;

 protected:
  torch::Tensor weights(const CrossStep& step, const torch::Tensor& key_value) const override;

 private:
  MmaOptions options_;
};

// alpha [B, H, T, S] from p_ij [B, H, T, S] and V_i int64 [B, T], which does not fall with i. Exact
// where p is 0 or 1. With gradient. Takes T + S - 1 steps of T elements for each head.
torch::Tensor expected_alignment(const torch::Tensor& probabilities, const torch::Tensor& visible);

// Where heads stop in whole sentences, and what each step sees.
struct WholeStops {
  torch::Tensor positions;  // float32 [B, T, H]
  torch::Tensor visible;    // int64 [B, T]
};
// Energies [B, H, T, S]; source lengths int64 [B]; each step sees at least `min_visible` int64
// [B, T], where defined. Results are on the device of the energies.
WholeStops whole_stops(const torch::Tensor& energies, const Policy& policy,
                       const torch::Tensor& source_lengths, const torch::Tensor& min_visible);

}  // namespace surtitle
