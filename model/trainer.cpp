#include "model/trainer.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <stdexcept>

#include "model/checkpoint.h"
#include "model/device.h"
#include "model/loss.h"
#include "model/mixed_precision.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kReportEvery = std::chrono::seconds(2);

// Training allocates the same large tensors at every update; giving them back to the system in
// between costs a page fault for each 4 KiB.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, -1);
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

Trainer::Trainer(const TrainRequest& request)
    : request_(request),
      options_(request_.recipe.training),
      device_(select_device(request.device)),
      sampler_(options_.policies),
      dev_policy_(make_policy(request_.recipe.default_policy)) {
  keep_freed_memory();
  set_threads(request_.threads);
  std::filesystem::create_directories(request_.output);
  open_tokenizer();
  corpus_ = load_corpus(request_.recipe.train, *tokenizer_, options_.max_tokens);
  dev_ = load_corpus(request_.recipe.dev, *tokenizer_, options_.max_tokens);
  if (corpus_.empty() || dev_.empty())
    throw std::runtime_error("recipe " + request_.recipe.name + ": no sentence pair to " +
                             (corpus_.empty() ? "train on" : "score on"));
  torch::manual_seed(options_.seed);
  model_ =
      Transformer(request_.recipe.architecture,
                  Dropout{.residual = options_.dropout, .attention = options_.attention_dropout});
  if (!request_.init_from.empty()) take_weights(model_, open_package(request_.init_from).weights);
  parameters_ =
      std::make_unique<FlatParameters>(model_, device_, AdamOptions{.beta2 = options_.adam_beta2});
  batches_ = make_batches(corpus_, options_.batch_tokens, options_.seed, 0);
  if (!request_.resume.empty()) resume();
  last_update_ = options_.max_updates;
  cooldown_from_ = options_.max_updates - options_.cooldown_updates;
  if (request_.cooldown > 0) {
    cooldown_from_ = parameters_->updates();
    last_update_ = cooldown_from_ + request_.cooldown;
  }
}

void Trainer::open_tokenizer() {
  const auto file = request_.output / "sentencepiece.model";
  if (!request_.init_from.empty()) {
    const auto package = open_package(request_.init_from);
    auto architecture = package.description.architecture;
    architecture.cross_attention = request_.recipe.architecture.cross_attention;
    if (architecture != request_.recipe.architecture)
      throw std::runtime_error(
          request_.init_from.string() +
          ": its architecture is not the recipe's; all but cross_attention must be equal");
    std::filesystem::copy_file(request_.init_from / package.description.tokenizer, file,
                               std::filesystem::copy_options::overwrite_existing);
  } else if (!std::filesystem::exists(file)) {
    std::vector<std::filesystem::path> texts;
    for (const auto& text : request_.recipe.train) {
      texts.push_back(text.source);
      texts.push_back(text.target);
    }
    train_tokenizer(texts, request_.recipe.architecture.target_vocabulary, file);
  }
  tokenizer_ = load_tokenizer(file);
}

Trainer::Batch Trainer::make_batch(std::span<const TokenPair> corpus,
                                   const BatchIndex& index) const {
  std::size_t source_width = 0;
  std::size_t target_width = 0;
  for (const auto i : index) {
    source_width = std::max(source_width, corpus[i].source.size());
    target_width = std::max(target_width, corpus[i].target.size() + 1);
  }
  const auto rows = static_cast<std::int64_t>(index.size());
  const auto s = static_cast<std::int64_t>(source_width);
  const auto t = static_cast<std::int64_t>(target_width);
  auto source = torch::full({rows, s}, kPadding, torch::kLong);
  auto input = torch::full({rows, t}, kPadding, torch::kLong);
  auto lengths = torch::empty({rows}, torch::kLong);
  std::vector<std::int64_t> target_rows;
  std::vector<std::int64_t> targets;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& pair = corpus[index[static_cast<std::size_t>(row)]];
    std::copy(pair.source.begin(), pair.source.end(), source.data_ptr<std::int64_t>() + row * s);
    auto* in = input.data_ptr<std::int64_t>() + row * t;
    in[0] = kEndOfSentence;
    std::copy(pair.target.begin(), pair.target.end(), in + 1);
    lengths.data_ptr<std::int64_t>()[row] = static_cast<std::int64_t>(pair.source.size());
    for (std::size_t i = 0; i <= pair.target.size(); ++i) {
      target_rows.push_back(row * t + static_cast<std::int64_t>(i));
      targets.push_back(i < pair.target.size() ? pair.target[i] : kEndOfSentence);
    }
  }
  return {source.to(device_), lengths.to(device_), input.to(device_),
          torch::tensor(target_rows).to(device_), torch::tensor(targets).to(device_)};
}

Trainer::Pass Trainer::pass(const Batch& batch, const Policy& policy, bool train) {
  model_->train(train);
  torch::AutoGradMode gradient(train);
  torch::Tensor states;
  {
    const MixedPrecision autocast(device_);
    const auto encoded = model_->encode(batch.source);
    const auto decoded = model_->decode(encoded, batch.source_lengths, batch.input, policy);
    states = decoded.states.flatten(0, 1).index_select(0, batch.target_rows);
  }
  const auto loss = label_smoothed_loss(states, model_->output_embedding(), batch.targets,
                                        options_.label_smoothing, torch::kBFloat16);
  if (train) loss.smoothed.backward();
  return {loss.smoothed.item<double>(), loss.negative_log_likelihood, batch.targets.size(0)};
}

double Trainer::learning_rate(std::int64_t update) const {
  const auto n = static_cast<double>(update);
  const auto warmup = static_cast<double>(options_.warmup_updates);
  double rate = options_.learning_rate * std::min(n / warmup, std::sqrt(warmup / n));
  if (update > cooldown_from_)
    rate *= static_cast<double>(last_update_ - update) /
            static_cast<double>(last_update_ - cooldown_from_);
  return rate;
}

void Trainer::update_once() {
  if (next_batch_ >= batches_.size()) {
    ++epoch_;
    next_batch_ = 0;
    batches_ = make_batches(corpus_, options_.batch_tokens, options_.seed,
                            static_cast<std::uint64_t>(epoch_));
  }
  const auto update = parameters_->updates() + 1;
  const auto seed = options_.seed * 1'000'003 + static_cast<std::uint64_t>(update);
  torch::manual_seed(seed);
  std::mt19937_64 random(seed);
  const auto policy = sampler_.draw(random);
  const auto batch = make_batch(corpus_, batches_[next_batch_++]);
  parameters_->zero_gradient();
  const auto result = pass(batch, *policy, /*train=*/true);
  const double norm = parameters_->clip_gradient(options_.clip_norm);
  // A gradient that overflowed would destroy every weight; the batch is passed over instead.
  if (std::isfinite(norm)) {
    parameters_->step(learning_rate(update));
  } else {
    ++parameters_->updates();
  }
  loss_since_report_ += result.smoothed;
  tokens_since_report_ += result.tokens;
  ++updates_since_report_;
}

void Trainer::report(TrainProgress progress) {
  const auto now = Clock::now();
  const double elapsed = std::max(seconds_between(reported_, now), 1e-9);
  const double per_update =
      elapsed / static_cast<double>(std::max<std::int64_t>(updates_since_report_, 1));
  progress.update = parameters_->updates();
  progress.max_updates = last_update_;
  progress.epoch = epoch_;
  progress.learning_rate = learning_rate(std::max<std::int64_t>(progress.update, 1));
  progress.loss =
      loss_since_report_ / static_cast<double>(std::max<std::int64_t>(updates_since_report_, 1));
  progress.tokens_per_second = static_cast<double>(tokens_since_report_) / elapsed;
  progress.seconds_left = per_update * static_cast<double>(last_update_ - progress.update);
  if (request_.progress) request_.progress(progress);
  reported_ = now;
  loss_since_report_ = 0;
  updates_since_report_ = 0;
  tokens_since_report_ = 0;
}

double Trainer::dev_perplexity() {
  double likelihood = 0;
  std::int64_t tokens = 0;
  for (const auto& index : make_batches(dev_, options_.batch_tokens, 0, 0)) {
    const auto result = pass(make_batch(dev_, index), *dev_policy_, /*train=*/false);
    likelihood += result.negative_log_likelihood;
    tokens += result.tokens;
  }
  return std::exp(likelihood / static_cast<double>(tokens));
}

void Trainer::write_average() {
  auto mean = torch::zeros({parameters_->values().numel()}, torch::kDouble);
  for (const auto& file : checkpoints_) mean += read_checkpoint_values(file);
  mean /= static_cast<double>(checkpoints_.size());
  const auto& recipe = request_.recipe;
  const PackageDescription description{.name = recipe.name,
                                       .source_language = recipe.source_language,
                                       .target_language = recipe.target_language,
                                       .architecture = recipe.architecture,
                                       .policies = sampler_.names(),
                                       .default_policy = recipe.default_policy,
                                       .training_data = recipe.training_data,
                                       .licence = recipe.licence};
  const auto folder = request_.output / "package";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(request_.output / "sentencepiece.model",
                             folder / description.tokenizer,
                             std::filesystem::copy_options::overwrite_existing);
  write_half_precision_package(folder, description, model_, mean,
                               {{"updates", std::to_string(parameters_->updates())}});
}

bool Trainer::checkpoint() {
  const auto updates = parameters_->updates();
  const auto file = request_.output / ("checkpoint-" + std::to_string(updates) + ".safetensors");
  write_checkpoint(file, *parameters_,
                   {.epoch = epoch_, .next_batch = static_cast<std::int64_t>(next_batch_)});
  if (checkpoints_.empty() || checkpoints_.back() != file) checkpoints_.push_back(file);
  // While the learning rate goes to zero the last weights are the best ones; averaging would undo
  // it.
  const int average = updates > cooldown_from_ ? 1 : options_.average;
  while (checkpoints_.size() > static_cast<std::size_t>(average)) {
    std::filesystem::remove(checkpoints_.front());
    checkpoints_.pop_front();
  }
  write_average();
  TrainProgress progress;
  progress.checkpoint = file;
  const double perplexity = dev_perplexity();
  progress.dev_perplexity = perplexity;
  if (request_.evaluate && options_.dev_sentences > 0)
    progress.dev_score = request_.evaluate(request_.output / "package");
  report(progress);
  const bool better = best_dev_ == 0 || perplexity < best_dev_;
  best_dev_ = better ? perplexity : best_dev_;
  without_improvement_ = better ? 0 : without_improvement_ + 1;
  return without_improvement_ < options_.patience;
}

void Trainer::resume() {
  const auto position = read_checkpoint(request_.resume, *parameters_);
  epoch_ = position.epoch;
  next_batch_ = static_cast<std::size_t>(position.next_batch);
  batches_ = make_batches(corpus_, options_.batch_tokens, options_.seed,
                          static_cast<std::uint64_t>(epoch_));
  // A cool-down is a branch: the run that it leaves keeps its checkpoints, and its weights are not
  // averaged in.
  if (request_.cooldown == 0) checkpoints_.push_back(request_.resume);
}

void Trainer::run() {
  reported_ = Clock::now();
  auto checkpointed = Clock::now();
  while (parameters_->updates() < last_update_ && !stopped()) {
    update_once();
    const auto now = Clock::now();
    if (now - reported_ >= kReportEvery) report({});
    if (now - checkpointed < std::chrono::minutes(options_.checkpoint_minutes)) continue;
    if (!checkpoint()) return;
    checkpointed = reported_ = Clock::now();
  }
  checkpoint();
}

void train(const TrainRequest& request) { Trainer(request).run(); }

}  // namespace surtitle
