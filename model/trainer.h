// The training loop.
//
// Life of an update: a policy is drawn (model/policy_sampler.h), a batch is padded and put on the
// device, the teacher-forced pass and its gradient run in bfloat16, the gradient is clipped, Adam
// steps. Every few minutes a checkpoint is written, the mean of the last ones becomes the package,
// and the package is scored on dev text. Everything random follows from the recipe's seed and the
// update's number, so a resumed run sees the batches and dropout masks that the interrupted one
// would have seen.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <deque>
#include <memory>

#include "model/corpus.h"
#include "model/flat_parameters.h"
#include "model/policy_sampler.h"
#include "model/train.h"
#include "model/transformer.h"

namespace surtitle {

class Trainer {
 public:
  explicit Trainer(const TrainRequest& request);
  void run();

 private:
  // A batch on the device.
  struct Batch {
    torch::Tensor source;          // int64 [B, S], padded on the right
    torch::Tensor source_lengths;  // int64 [B]
    torch::Tensor input;           // int64 [B, T], beginning with eos
    torch::Tensor target_rows;     // int64 [N]: rows of [B * T] that are no padding
    torch::Tensor targets;         // int64 [N], ending with eos
  };

  void open_tokenizer();
  Batch make_batch(std::span<const TokenPair> corpus, const BatchIndex& index) const;
  // Mean smoothed loss with gradient where `train`, summed negative log-likelihood.
  struct Pass {
    double smoothed = 0;
    double negative_log_likelihood = 0;
    std::int64_t tokens = 0;
  };
  Pass pass(const Batch& batch, const Policy& policy, bool train);
  double learning_rate(std::int64_t update) const;
  void update_once();
  // Returns whether training should go on.
  bool checkpoint();
  double dev_perplexity();
  void write_average();
  void resume();
  void report(TrainProgress progress);
  bool stopped() const { return request_.stop && request_.stop->load(); }

  TrainRequest request_;
  const TrainingOptions& options_;
  torch::Device device_;
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
  std::int64_t cooldown_from_ = 0;  // the update at which the cool-down begins
  std::int64_t last_update_ = 0;

  std::deque<std::filesystem::path> checkpoints_;  // the last ones, oldest first
  double best_dev_ = 0;                            // perplexity; 0: none yet
  int without_improvement_ = 0;

  std::chrono::steady_clock::time_point reported_;
  double loss_since_report_ = 0;
  std::int64_t updates_since_report_ = 0;
  std::int64_t tokens_since_report_ = 0;
};

}  // namespace surtitle
