// All parameters of a module as one tensor, with Adam on it.
//
// Parameters and gradients become views of two flat tensors, so that the optimiser, the gradient's
// norm, averages and checkpoints are each a few operations instead of a few hundred.
#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "model/torch/transformer.h"

namespace surtitle {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
};

class FlatParameters {
 public:
  // Moves the module's parameters to `device` and into the flat tensor. The module must outlive
  // this.
  FlatParameters(Transformer model, torch::Device device, const AdamOptions& options);

  void zero_gradient();
  // Scales the gradient down to `limit` where its norm is larger; returns the norm before. 0: no
  // limit.
  double clip_gradient(double limit);
  // One update of Adam (Kingma & Ba 2015) with bias correction; counts updates by itself.
  void step(double learning_rate);

  torch::Tensor& values() { return values_; }
  const torch::Tensor& values() const { return values_; }
  torch::Tensor& first_moment() { return first_; }
  const torch::Tensor& first_moment() const { return first_; }
  torch::Tensor& second_moment() { return second_; }
  const torch::Tensor& second_moment() const { return second_; }
  std::int64_t& updates() { return updates_; }
  std::int64_t updates() const { return updates_; }
  const ModelConfig& architecture() const { return model_->config(); }

 private:
  Transformer model_;
  AdamOptions options_;
  torch::Tensor values_;    // [parameters]
  torch::Tensor gradient_;  // likewise, as the rest
  torch::Tensor first_;
  torch::Tensor second_;
  std::int64_t updates_ = 0;
};

}  // namespace surtitle
