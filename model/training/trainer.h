// The training loop.
//
// Life of an update: a policy is drawn (model/training/policy_sampler.h), a batch is padded and put
// on the device, the teacher-forced pass and its gradient run in bfloat16 (float32 on a CPU without
// AMX), the gradient is clipped, Adam steps. Every few minutes a checkpoint is written, the mean of
// the last ones becomes the package, and the package is scored on dev text. Everything random
// follows from the recipe's seed and the update's number, so a resumed run sees the batches and
// dropout masks that the interrupted one would have seen.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <ctime>
#include <deque>
#include <memory>

#include "model/torch/transformer.h"
#include "model/training/corpus.h"
#include "model/training/flat_parameters.h"
#include "model/training/policy_sampler.h"
#include "model/training/train.h"

namespace surtitle {

class Trainer {
 public:
  explicit Trainer(const TrainRequest& request);
  TrainEnd run();

 private:
  // A batch on the device.
  struct Batch {
    torch::Tensor source;          // int64 [B, S], padded on the right
    torch::Tensor source_lengths;  // int64 [B]
    torch::Tensor input;           // int64 [B, T], beginning with eos
    torch::Tensor target_lengths;  // int64 [B]
    torch::Tensor target_rows;     // int64 [N]: rows of [B * T] that are no padding
    torch::Tensor targets;         // int64 [N], ending with eos
  };

  struct Kept {
    std::int64_t updates = 0;
    std::filesystem::path file;
  };
  // What is measured between two reports. A new one begins now.
  struct Stretch {
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    std::clock_t cpu_began = std::clock();
    double loss = 0;
    std::int64_t updates = 0;
    std::int64_t tokens = 0;
  };

  // `initial`: that of the package to begin with, or empty.
  void open_tokenizer(const std::filesystem::path& initial);
  Batch make_batch(std::span<const TokenPair> corpus, const BatchIndex& index) const;
  // Mean smoothed loss with gradient where `train`, summed negative log-likelihood.
  struct Pass {
    double smoothed = 0;
    double negative_log_likelihood = 0;
    std::int64_t tokens = 0;
  };
  // The latency loss for each target token, with gradient.
  torch::Tensor latency(const Batch& batch, const Decoded& decoded) const;
  Pass pass(const Batch& batch, const Policy& policy, bool train);
  double learning_rate(std::int64_t update) const;
  void update_once();
  void cool_down_early(std::int64_t from);
  bool checkpoint_due() const;
  void checkpoint();
  double dev_perplexity();
  void keep(const Kept& checkpoint);
  void write_average();
  void resume();
  // Speed and loss of the stretch, which begins anew.
  TrainProgress measure(Stretch& stretch);
  void tell(const TrainProgress& progress) const;
  bool improving() const { return without_improvement_ < options_.patience; }
  bool stopped() const { return request_.stop && request_.stop->load(); }

  TrainRequest request_;
  const TrainingOptions& options_;
  torch::Device device_;
  torch::ScalarType products_;  // of matrix products
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<TokenPair> corpus_;
  std::vector<TokenPair> dev_;
  PolicySampler sampler_;
  PolicyPtr dev_policy_;
  Transformer model_{nullptr};
  std::unique_ptr<FlatParameters> parameters_;

  std::vector<BatchIndex> batches_;  // of this epoch
  std::int64_t epoch_ = 0;
  std::size_t next_batch_ = 0;
  std::int64_t cooldown_from_ = 0;   // the update at which the cool-down begins
  std::int64_t early_cooldown_ = 0;  // the same where it began before its time; 0: not so
  std::int64_t last_update_ = 0;

  std::deque<Kept> kept_;                // the run's last checkpoints, oldest first
  std::int64_t checkpoint_update_ = -1;  // of the last one; -1: none by this object
  double best_dev_ = 0;                  // perplexity; 0: none yet
  int without_improvement_ = 0;

  Stretch since_report_;
  Stretch since_checkpoint_;
};

}  // namespace surtitle
