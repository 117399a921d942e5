// Scaled dot-product attention with a fixed temperature.
//
// Vaswani et al. 2017; temperature tau from Lin et al. 2018, 4.4: w_j = softmax_j(q k_j / tau). It
// predicts no alignment: p is the target index.
#pragma once

#include "model/torch/attention.h"

namespace surtitle {

class DotProductAttentionImpl final : public CrossAttentionImpl {
 public:
  DotProductAttentionImpl(const DotProductOptions& options, const std::vector<CrossTensor>& tensors,
                          int d_model, int heads, double dropout)
      : CrossAttentionImpl(tensors, d_model, heads, dropout), options_(options) {}

 protected:
  Weighting weigh(const CrossStep& step, std::int64_t) const override {
    if (options_.temperature == 1) return {};
    return {.temperature = torch::full({1}, options_.temperature, step.query.options())};
  }

 private:
  DotProductOptions options_;
};

}  // namespace surtitle
