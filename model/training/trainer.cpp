#include "model/training/trainer.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "model/torch/device.h"
#include "model/training/checkpoint.h"
#include "model/training/latency_loss.h"
#include "model/training/loss.h"
#include "model/training/mixed_precision.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTokenizer = "sentencepiece.model";
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

// The package to begin with; only its cross-attention may be another than the recipe's.
Package open_initial(const std::filesystem::path& folder, const ModelConfig& wanted) {
  auto package = open_package(folder);
  auto architecture = package.description.architecture;
  architecture.cross_attention = wanted.cross_attention;
  architecture.meaning_units = false;  // they are learnt from a model's own translations
  if (architecture != wanted)
    throw std::runtime_error(
        folder.string() +
        ": its architecture is not the recipe's; all but cross_attention must be equal");
  if (package.description.tokenizer.type != TokenizerFiles::Type::kSentencepiece)
    throw std::runtime_error(folder.string() + ": the model has no SentencePiece tokenizer");
  return package;
}

// Makes the folder that it goes to.
void copy_unless_same(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (!std::filesystem::is_regular_file(from))
    throw std::runtime_error(from.string() + ": cannot be read");
  std::filesystem::create_directories(to.parent_path());
  std::error_code none_there;
  if (std::filesystem::equivalent(from, to, none_there)) return;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

Trainer::Trainer(const TrainRequest& request)
    : request_(request),
      options_(request_.recipe.training),
      device_(select_device(request.device)),
      products_(matrix_product_type(device_)),
      sampler_(options_.policies),
      dev_policy_(make_policy(request_.recipe.default_policy)) {
  keep_freed_memory();
  set_threads(request_.threads);
  check_texts(request_.recipe.train);
  check_texts(request_.recipe.dev);
  std::optional<Package> initial;
  if (!request_.init_from.empty())
    initial = open_initial(request_.init_from, request_.recipe.architecture);
  open_tokenizer(initial ? initial->folder / initial->description.tokenizer.source
                         : std::filesystem::path());
  corpus_ = load_corpus(request_.recipe.train, *tokenizer_, options_.max_tokens);
  dev_ = load_corpus(request_.recipe.dev, *tokenizer_, options_.max_tokens);
  if (corpus_.empty() || dev_.empty())
    throw std::runtime_error("recipe " + request_.recipe.name + ": no sentence pair to " +
                             (corpus_.empty() ? "train on" : "score on"));
  torch::manual_seed(options_.seed);
  model_ =
      Transformer(request_.recipe.architecture,
                  Dropout{.residual = options_.dropout, .attention = options_.attention_dropout});
  if (initial) take_weights(model_, initial->weights);
  parameters_ =
      std::make_unique<FlatParameters>(model_, device_, AdamOptions{.beta2 = options_.adam_beta2});
  batches_ = make_batches(corpus_, options_.batch_tokens, options_.seed, 0);
  last_update_ = options_.max_updates;
  cooldown_from_ = options_.max_updates - options_.cooldown_updates;
  if (!request_.resume.empty()) resume();
  if (request_.cooldown > 0) {
    cooldown_from_ = parameters_->updates();
    last_update_ = cooldown_from_ + request_.cooldown;
  }
}

void Trainer::open_tokenizer(const std::filesystem::path& initial) {
  const auto file = request_.output / kTokenizer;
  const int vocabulary = request_.recipe.architecture.target_vocabulary;
  if (!request_.resume.empty()) {
    copy_unless_same(request_.resume.parent_path() / kTokenizer, file);
  } else if (!initial.empty()) {
    copy_unless_same(initial, file);
  } else if (!std::filesystem::exists(file)) {
    std::vector<std::filesystem::path> texts;
    for (const auto& text : request_.recipe.train) {
      texts.push_back(text.source);
      texts.push_back(text.target);
    }
    std::filesystem::create_directories(request_.output);
    train_tokenizer(texts, vocabulary, file);
  }
  tokenizer_ = load_tokenizer(file);
  const int found = tokenizer_->vocabulary_size();
  if (found != vocabulary)
    throw std::runtime_error(file.string() + ": found " + std::to_string(found) +
                             " pieces, the recipe's vocabulary is " + std::to_string(vocabulary) +
                             "; begin in another folder");
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
  auto target_lengths = torch::empty({rows}, torch::kLong);
  std::vector<std::int64_t> target_rows;
  std::vector<std::int64_t> targets;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& pair = corpus[index[static_cast<std::size_t>(row)]];
    std::copy(pair.source.begin(), pair.source.end(), source.data_ptr<std::int64_t>() + row * s);
    auto* in = input.data_ptr<std::int64_t>() + row * t;
    in[0] = kEndOfSentence;
    std::copy(pair.target.begin(), pair.target.end(), in + 1);
    lengths.data_ptr<std::int64_t>()[row] = static_cast<std::int64_t>(pair.source.size());
    target_lengths.data_ptr<std::int64_t>()[row] =
        static_cast<std::int64_t>(pair.target.size()) + 1;
    for (std::size_t i = 0; i <= pair.target.size(); ++i) {
      target_rows.push_back(row * t + static_cast<std::int64_t>(i));
      targets.push_back(i < pair.target.size() ? pair.target[i] : kEndOfSentence);
    }
  }
  return {source.to(device_),
          lengths.to(device_),
          input.to(device_),
          target_lengths.to(device_),
          torch::tensor(target_rows).to(device_),
          torch::tensor(targets).to(device_)};
}

torch::Tensor Trainer::latency(const Batch& batch, const Decoded& decoded) const {
  std::vector<torch::Tensor> alphas;
  for (std::size_t layer = 0; layer < decoded.weights.size(); ++layer)
    if (std::holds_alternative<MmaOptions>(
            model_->config().cross_attention_of(static_cast<int>(layer))))
      alphas.push_back(decoded.weights[layer]);
  const auto sum =
      latency_loss(alphas, batch.source_lengths, batch.target_lengths, options_.latency);
  return sum / batch.targets.size(0);
}

Trainer::Pass Trainer::pass(const Batch& batch, const Policy& policy, bool train) {
  model_->train(train);
  torch::AutoGradMode gradient(train);
  torch::Tensor states;
  torch::Tensor of_delays;
  {
    const MixedPrecision autocast(device_, products_);
    const auto encoded = model_->encode(batch.source);
    const bool delays = train && options_.latency.any();
    const auto decoded = model_->decode(encoded, batch.source_lengths, batch.input, policy,
                                        {.least_visible = {}, .keep_weights = delays});
    states = decoded.states.flatten(0, 1).index_select(0, batch.target_rows);
    if (delays) of_delays = latency(batch, decoded);
  }
  const auto loss = label_smoothed_loss(states, model_->output_embedding(), batch.targets,
                                        options_.label_smoothing, products_);
  if (train) (of_delays.defined() ? loss.smoothed + of_delays : loss.smoothed).backward();
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
  for (auto* stretch : {&since_report_, &since_checkpoint_}) {
    stretch->loss += result.smoothed;
    stretch->tokens += result.tokens;
    ++stretch->updates;
  }
}

TrainProgress Trainer::measure(Stretch& stretch) {
  const double elapsed = std::max(seconds_between(stretch.began, Clock::now()), 1e-9);
  const auto cpu = std::max<std::clock_t>(std::clock() - stretch.cpu_began, 1);
  const auto updates = static_cast<double>(std::max<std::int64_t>(stretch.updates, 1));
  TrainProgress progress;
  progress.update = parameters_->updates();
  progress.max_updates = last_update_;
  progress.epoch = epoch_;
  progress.learning_rate = learning_rate(std::max<std::int64_t>(progress.update, 1));
  progress.loss = stretch.loss / updates;
  progress.tokens_per_second = static_cast<double>(stretch.tokens) / elapsed;
  progress.tokens_per_cpu_second =
      static_cast<double>(stretch.tokens) * CLOCKS_PER_SEC / static_cast<double>(cpu);
  progress.seconds_left = elapsed / updates * static_cast<double>(last_update_ - progress.update);
  stretch = {};
  return progress;
}

void Trainer::tell(const TrainProgress& progress) const {
  if (request_.progress) request_.progress(progress);
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

void Trainer::keep(const Kept& checkpoint) {
  std::erase_if(kept_, [&](const Kept& one) { return one.updates == checkpoint.updates; });
  kept_.push_back(checkpoint);
  for (; kept_.size() > static_cast<std::size_t>(options_.average); kept_.pop_front()) {
    // A checkpoint of another run, or one that somebody gave a name of its own, stays.
    const auto& oldest = kept_.front();
    const auto own = checkpoint_file(request_.output, oldest.updates);
    std::error_code gone;
    if (std::filesystem::equivalent(oldest.file, own, gone)) std::filesystem::remove(own);
  }
}

void Trainer::write_average() {
  // While the learning rate goes to zero the last weights are the best ones; averaging would undo
  // it.
  const bool cooling = parameters_->updates() > cooldown_from_;
  const auto count = cooling ? 1 : static_cast<std::ptrdiff_t>(kept_.size());
  auto mean = torch::zeros({parameters_->values().numel()}, torch::kDouble);
  for (auto one = kept_.end() - count; one != kept_.end(); ++one)
    mean += read_checkpoint_values(one->file);
  mean /= static_cast<double>(count);
  const auto& recipe = request_.recipe;
  PackageDescription description;
  description.name = recipe.name;
  description.source_language = recipe.source_language;
  description.target_language = recipe.target_language;
  description.architecture = recipe.architecture;
  description.policies = sampler_.names();
  description.default_policy = recipe.default_policy;
  description.source_forms = source_forms(recipe);
  description.training_data = recipe.training_data;
  description.licence = recipe.licence;
  const auto folder = request_.output / "package";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(request_.output / kTokenizer, folder / description.tokenizer.source,
                             std::filesystem::copy_options::overwrite_existing);
  write_half_precision_package(folder, description, model_, mean,
                               {{"updates", std::to_string(parameters_->updates())}});
}

void Trainer::cool_down_early(std::int64_t from) {
  early_cooldown_ = cooldown_from_ = from;
  last_update_ = from + options_.cooldown_updates;
}

void Trainer::checkpoint() {
  auto progress = measure(since_checkpoint_);
  const double perplexity = dev_perplexity();
  const bool better = std::isfinite(perplexity) && (best_dev_ == 0 || perplexity < best_dev_);
  best_dev_ = better ? perplexity : best_dev_;
  without_improvement_ = better ? 0 : without_improvement_ + 1;
  if (!improving() && progress.update < cooldown_from_ && options_.cooldown_updates > 0) {
    cool_down_early(progress.update);
    without_improvement_ = 0;
  }

  RunState state{.epoch = epoch_,
                 .next_batch = static_cast<std::int64_t>(next_batch_),
                 .best_dev_perplexity = best_dev_,
                 .without_improvement = without_improvement_,
                 .early_cooldown = early_cooldown_,
                 .earlier = {}};
  progress.checkpoint = checkpoint_file(request_.output, progress.update);
  for (const auto& one : kept_) state.earlier.push_back(one.updates);
  write_checkpoint(progress.checkpoint, *parameters_, state);
  checkpoint_update_ = progress.update;
  keep({.updates = progress.update, .file = progress.checkpoint});
  write_average();

  progress.dev_perplexity = perplexity;
  if (request_.evaluate && options_.dev_sentences > 0 && !stopped())
    progress.dev_score = request_.evaluate(request_.output / "package");
  tell(progress);
  since_checkpoint_ = since_report_ = {};
}

void Trainer::resume() {
  const auto state = read_checkpoint(request_.resume, *parameters_);
  epoch_ = state.epoch;
  next_batch_ = static_cast<std::size_t>(state.next_batch);
  batches_ = make_batches(corpus_, options_.batch_tokens, options_.seed,
                          static_cast<std::uint64_t>(epoch_));
  // A cool-down is a branch: the run that it leaves keeps its checkpoints, and its weights are not
  // averaged in.
  if (request_.cooldown > 0) return;
  best_dev_ = state.best_dev_perplexity;
  without_improvement_ = state.without_improvement;
  if (state.early_cooldown > 0 && options_.cooldown_updates > 0)
    cool_down_early(state.early_cooldown);
  for (const auto updates : state.earlier) {
    const auto file = checkpoint_file(request_.resume.parent_path(), updates);
    if (std::filesystem::exists(file)) kept_.push_back({.updates = updates, .file = file});
  }
  keep({.updates = parameters_->updates(), .file = request_.resume});
}

bool Trainer::checkpoint_due() const {
  const auto every = options_.checkpoint_updates;
  if (every > 0 && parameters_->updates() % every == 0) return true;
  return Clock::now() - since_checkpoint_.began >=
         std::chrono::minutes(options_.checkpoint_minutes);
}

TrainEnd Trainer::run() {
  since_checkpoint_ = since_report_ = {};
  while (parameters_->updates() < last_update_ && improving() && !stopped()) {
    update_once();
    if (Clock::now() - since_report_.began >= kReportEvery) tell(measure(since_report_));
    if (checkpoint_due()) checkpoint();
  }
  if (checkpoint_update_ != parameters_->updates()) checkpoint();
  if (parameters_->updates() >= last_update_) return TrainEnd::kLastUpdate;
  return improving() ? TrainEnd::kStopped : TrainEnd::kNoImprovement;
}

TrainEnd train(const TrainRequest& request) { return Trainer(request).run(); }

}  // namespace surtitle
