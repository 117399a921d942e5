// The training loop.
//
// An update has one or more batches. For each batch, a policy is drawn
// (model/training/policy_sampler.h), and the batch is padded and copied to the device. The
// teacher-forced pass and its gradient run in the faster type of products (model/torch/device.h).
// On the CPU, each thread computes whole batches on a replica of the model. Threads therefore
// synchronise once an update and not at every operation. Then the sum of the gradients is clipped,
// and the optimiser steps.
//
// Every few minutes a checkpoint is written, the mean of the last ones becomes the package, and the
// package is scored on dev text. The recipe's seed and the update's number determine all random
// numbers. So a resumed run has the batches and dropout masks of an uninterrupted one.
//
// Thread-safety: none; one owner.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>

#include "model/torch/device.h"
#include "model/torch/transformer.h"
#include "model/training/checkpoint.h"
#include "model/training/corpus.h"
#include "model/training/flat_parameters.h"
#include "model/training/policy_sampler.h"
#include "model/training/train.h"
#include "model/util/worker_pool.h"

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
    torch::Tensor start_rows;      // int64 [W]: rows of [B * S], the last tokens of labelled words
    torch::Tensor starts;          // float32 [W]: 1 if the word begins a sentence, otherwise 0
  };

  struct KeptCheckpoint {
    std::int64_t updates = 0;
    std::filesystem::path file;
  };
  // Measurements between two reports; a new object starts at the current time.
  struct ReportInterval {
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    std::clock_t cpu_began = std::clock();
    double loss = 0;
    std::int64_t updates = 0;
    std::int64_t tokens = 0;
  };

  // Copies the tokenizers of `start`, a package's folder, or learns one if it is empty.
  void open_tokenizers(const std::filesystem::path& start);
  Batch make_batch(std::span<const TokenPair> pairs, const BatchIndex& index) const;
  // Draws the epoch's examples and divides them into batches.
  void begin_epoch(std::int64_t epoch);
  // Mean smoothed loss, and summed negative log-likelihood.
  struct Pass {
    double smoothed = 0;
    double negative_log_likelihood = 0;
    std::int64_t tokens = 0;
  };
  // Returns the latency loss for each target token, with gradient.
  torch::Tensor latency(const Batch& batch, const Decoded& decoded) const;
  // Returns the loss of the classifier of sentence starts for each target token, with gradient.
  torch::Tensor sentence_start_loss(const Transformer& model, const Batch& batch,
                                    const torch::Tensor& encoded) const;
  // In training mode, adds the gradient of the loss times `share` to that of `model`.
  Pass pass(Transformer& model, const Batch& batch, const Policy& policy, double share);
  // A batch of an update, before it is copied to the device.
  struct Work {
    const BatchIndex* batch = nullptr;
    PolicyPtr policy;
    std::uint64_t seed = 0;
    std::int64_t tokens = 0;  // target tokens with the end of each sentence
  };
  std::vector<Work> draw_work(std::int64_t update);
  // Calls body(model, i) for i in [0, count) on all workers.
  void share_out(std::size_t count, const std::function<void(Transformer&, std::size_t)>& body);
  double learning_rate(std::int64_t update) const;
  void update_once();
  void cool_down_early(std::int64_t from);
  bool checkpoint_due() const;
  void checkpoint();
  double dev_perplexity();
  void keep(const KeptCheckpoint& checkpoint);
  void write_average();
  RunState state() const;
  void resume();
  // Returns speed and loss of the interval and starts a new one.
  TrainProgress measure(ReportInterval& interval);
  void report(const TrainProgress& progress) const;
  bool improving() const { return without_improvement_ < options_.patience; }
  bool stopped() const { return request_.stop && request_.stop->load(); }

  TrainRequest request_;
  const TrainingOptions& options_;
  torch::Device device_;
  Products products_;
  TokenizerFiles tokenizer_files_;
  Tokenizers tokenizers_;
  Corpus corpus_;
  std::vector<TokenPair> dev_;
  PolicySampler sampler_;
  PolicyPtr dev_policy_;
  std::vector<Transformer> replicas_;  // of one model, one for each worker
  std::unique_ptr<WorkerPool> workers_;
  std::unique_ptr<FlatParameters> parameters_;

  std::vector<TokenPair> examples_;  // of this epoch
  std::vector<BatchIndex> batches_;  // of this epoch
  std::int64_t epoch_ = 0;
  std::size_t next_batch_ = 0;
  std::int64_t cooldown_from_ = 0;   // the update at which the cool-down begins
  std::int64_t early_cooldown_ = 0;  // the same if it began early; 0 otherwise
  std::int64_t last_update_ = 0;

  std::deque<KeptCheckpoint> kept_;      // the run's last checkpoints, oldest first
  std::int64_t checkpoint_update_ = -1;  // of the last one; -1: none by this object
  double best_dev_ = 0;                  // perplexity; 0: none yet
  int without_improvement_ = 0;

  ReportInterval since_report_;
  ReportInterval since_checkpoint_;
};

}  // namespace surtitle
