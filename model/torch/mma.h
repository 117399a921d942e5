// Hard monotonic multi-head attention, MMA-H, for each head of a layer.
//
// Ma, Pino, Cross, Puzon & Gu, "Monotonic Multihead Attention", ICLR 2020. q_i is the scaled query
// [d], k_j and v_j are the keys and values [d]. r = energy_bias [H] is learnt (Raffel et al. 2017;
// its first value is the option `bias`). Positions count from 0; V_i is the number of source tokens
// that step i sees.
//
//   e_ij = q_i k_j + r,   p_ij = sigmoid(e_ij), but p_ij = 1 for j = V_i - 1            eq. 4, 5
//   hard, out of training: t_i = the first j >= t_(i-1) with p_ij >= threshold, t_(-1) = 0;
//     the context is v_j of j = t_i; for V_i see model/engine/monotonic_stops.h
//   in training: e_ij with Gaussian noise (option `noise`), all of the source at once, and the
//     context is sum_j alpha_ij v_j with the expected alignment                      eq. 2, 3, 8
//     alpha_ij = p_ij sum_(k<=j) alpha_(i-1)k prod_(l=k..j-1) (1 - p_il),  alpha_(-1)0 = 1
//
// A head that finds no stop attends to the last visible token and stays there ("mass preservation",
// the default of fairseq's simultaneous_translation). Only energies use queries and keys. More
// source moves no head that has stopped, so a predicted early end of sentence is repeated until the
// source is complete.
//
// The layer's p is that of the furthest head. In training it is infinite, so that policies that use
// it let a step see the whole source.
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

// Returns alpha [B, H, T, S] from p_ij [B, H, T, S] and V_i int64 [B, T], which never decreases
// with i. Exact if p is 0 or 1. Differentiable. Takes T + S - 1 steps of T elements for each head.
torch::Tensor expected_alignment(const torch::Tensor& probabilities, const torch::Tensor& visible);

// Stops of heads in whole sentences, and the visible source of each step.
struct WholeStops {
  torch::Tensor positions;  // float32 [B, T, H]
  torch::Tensor visible;    // int64 [B, T]
};
// Computes the stops from energies [B, H, T, S] and source lengths int64 [B]. If `min_visible`
// int64 [B, T] is defined, each step sees at least that many tokens. Results are on the device of
// the energies.
WholeStops whole_stops(const torch::Tensor& energies, const Policy& policy,
                       const torch::Tensor& source_lengths, const torch::Tensor& min_visible);

}  // namespace surtitle
