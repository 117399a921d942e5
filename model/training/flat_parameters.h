// All parameters of a model as one tensor, with an optimiser.
//
// Parameters and gradients become views of flat tensors. The optimiser, the gradient's norm,
// averages and checkpoints are then a few operations each, not a few hundred.
//
// Thread-safety: one thread calls these functions; meanwhile no replica is in use.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "model/torch/transformer.h"
#include "model/training/recipe.h"

namespace surtitle {

struct OptimizerOptions {
  Optimizer optimizer = Optimizer::kAdam;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double momentum = 0.95;                      // of Muon
  torch::ScalarType products = torch::kFloat;  // type of Muon's matrix products
};

class FlatParameters {
 public:
  // `replicas`: modules of one architecture. All of them become views of the values of the first;
  // each has its own gradient, so that each can serve one thread. They are moved to `device`.
  FlatParameters(std::vector<Transformer> replicas, torch::Device device,
                 const OptimizerOptions& options);

  void zero_gradient();
  // Adds the gradients of the replicas and scales the sum down to `limit` if its norm is larger.
  // Returns the norm before scaling. 0: no limit.
  double clip_gradient(double limit);
  // Does one update with the gradient of the first replica, in which clip_gradient() stores the
  // sum, and counts it. The optimiser is Adam (Kingma & Ba 2015) with bias correction. With
  // Optimizer::kMuon, Muon (Jordan et al. 2024) updates the weight matrices of layers. Its update
  // is the momentum of the gradient with all singular values made equal, scaled to Adam's learning
  // rates (Liu et al. 2025, "Muon is Scalable for LLM Training").
  void step(double learning_rate);

  torch::Tensor& values() { return values_; }
  const torch::Tensor& values() const { return values_; }
  torch::Tensor& first_moment() { return first_; }
  const torch::Tensor& first_moment() const { return first_; }
  torch::Tensor& second_moment() { return second_; }
  const torch::Tensor& second_moment() const { return second_; }
  std::int64_t& updates() { return updates_; }
  std::int64_t updates() const { return updates_; }
  const ModelConfig& architecture() const { return replicas_.front()->config(); }

 private:
  struct Span {
    std::int64_t offset;
    std::int64_t size;
  };
  struct Matrix {
    std::int64_t offset;
    std::int64_t rows;
    std::int64_t columns;
  };
  // Assigns the parameter at `offset` to an optimiser.
  void assign(const std::string& name, const torch::Tensor& parameter, std::int64_t offset);
  void step_adam(const Span& span, double learning_rate);
  void step_muon(const Matrix& matrix, double learning_rate);

  std::vector<Transformer> replicas_;
  OptimizerOptions options_;
  std::vector<Span> by_adam_;
  std::vector<Matrix> by_muon_;
  torch::Tensor values_;                  // [parameters]
  std::vector<torch::Tensor> gradients_;  // of each replica, [parameters]
  torch::Tensor first_;                   // [parameters], as second_
  torch::Tensor second_;
  std::int64_t updates_ = 0;
};

}  // namespace surtitle
