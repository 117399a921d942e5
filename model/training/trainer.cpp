#include "model/training/trainer.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

#include "model/torch/dropout.h"
#include "model/training/checkpoint.h"
#include "model/training/latency_loss.h"
#include "model/training/loss.h"
#include "model/training/mixed_precision.h"
#include "model/util/processors.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPackage = "package";  // in the folder of a run
constexpr double kForbiddenBias = -100;      // e^-100: never chosen
constexpr auto kReportEvery = std::chrono::seconds(2);

// Training allocates the same large tensors at every update. Returning them to the system in
// between would cost a page fault for each 4 KiB.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, -1);
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Opens the package to begin with; only its cross-attention, its classifiers and its encoder's
// reach may differ from the recipe's.
Package open_initial(const std::filesystem::path& folder, const ModelConfig& wanted) {
  auto package = open_package(folder);
  auto architecture = package.description.architecture;
  architecture.cross_attention = wanted.cross_attention;
  architecture.encoder_reach = wanted.encoder_reach;
  architecture.meaning_units = false;  // `surtitle segment` adds the classifier after training
  architecture.sentence_starts = wanted.sentence_starts;
  if (architecture != wanted)
    throw std::runtime_error(folder.string() + ": " + describe_difference(architecture, wanted) +
                             "; all fields but cross_attention must be equal, and may be left out "
                             "of the recipe");
  const auto type = package.description.tokenizer.type;
  if (type != TokenizerFiles::Type::kSentencepiece && type != TokenizerFiles::Type::kPieceList)
    throw std::runtime_error(folder.string() + ": the model must have SentencePiece tokenizers");
  if (!package.source_prefixes.empty())
    throw std::runtime_error(folder.string() +
                             ": a model of several target languages cannot be trained");
  return package;
}

// Throws std::runtime_error if the folder has a run, which a new one would overwrite.
void require_no_run(const std::filesystem::path& folder) {
  std::error_code none_there;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none_there)) {
    const auto name = entry.path().filename().string();
    if (name == kPackage || name == "log.jsonl" || name.starts_with("checkpoint-"))
      throw std::runtime_error(folder.string() +
                               " has a run, which --init-from would overwrite; allowed: --resume "
                               "to continue it, or another --output");
  }
}

// Returns the recipe's type of products, measured if it leaves the choice.
Products products_of(ProductType type, torch::Device device) {
  if (type == ProductType::kMeasured) return measure_products(device);
  return {type == ProductType::kFloat32 ? torch::kFloat : torch::kBFloat16, 0};
}

// Returns the names of a package's tokenizer files.
std::set<std::string> names_of(const TokenizerFiles& files) {
  std::set<std::string> names{files.source, files.target, files.source_pieces, files.target_pieces};
  names.erase("");
  return names;
}

// Creates the destination folder.
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
      corpus_(request_.recipe.train),
      sampler_(options_.policies),
      dev_policy_(make_policy(request_.recipe.default_policy)) {
  keep_freed_memory();
  set_threads(request_.threads);
  products_ = products_of(options_.products, device_);
  const Corpus dev(request_.recipe.dev);
  std::optional<Package> initial;
  if (!request_.init_from.empty()) {
    require_no_run(request_.output);
    initial = open_initial(request_.init_from, request_.recipe.architecture);
  }
  open_tokenizers(start_package(request_.init_from, request_.resume));
  dev_ = encode_epoch(dev, tokenizers_, options_.max_tokens, 0, 0);
  begin_epoch(0);
  if (examples_.empty() || dev_.empty())
    throw std::runtime_error("recipe " + request_.recipe.name + ": no sentence pair to " +
                             (examples_.empty() ? "train on" : "score on"));
  torch::manual_seed(options_.seed);
  const int threads = thread_count(request_.threads);
  const int workers = device_.is_cuda() ? 1 : std::min(threads, options_.batches_per_update);
  for (int i = 0; i < workers; ++i) {
    auto& replica = replicas_.emplace_back(
        request_.recipe.architecture,
        Dropout{.residual = options_.dropout, .attention = options_.attention_dropout});
    replica->set_states_type(device_.is_cpu() ? products_.type : torch::kFloat);
  }
  if (initial) load_matching_weights(replicas_.front(), initial->weights);
  if (const auto bias = replicas_.front()->output_bias(); bias.defined()) {
    // Imported models forbid tokens by a bias of -1e9, which the smoothed loss would count.
    const torch::NoGradGuard no_grad;
    bias.clamp_min_(kForbiddenBias);
  }
  parameters_ = std::make_unique<FlatParameters>(replicas_, device_,
                                                 OptimizerOptions{.optimizer = options_.optimizer,
                                                                  .beta2 = options_.adam_beta2,
                                                                  .products = products_.type});
  workers_ = std::make_unique<WorkerPool>(workers);
  workers_->run(workers, [&](int worker) {
    // The caller of run() also steps the optimiser, with all threads.
    if (worker > 0) set_threads(threads / workers);
  });
  last_update_ = options_.max_updates;
  cooldown_from_ = options_.max_updates - options_.cooldown_updates;
  if (!request_.resume.empty()) resume();
  if (request_.cooldown > 0) {
    cooldown_from_ = parameters_->updates();
    last_update_ = cooldown_from_ + request_.cooldown;
  }
}

std::filesystem::path start_package(const std::filesystem::path& init_from,
                                    const std::filesystem::path& resume) {
  if (!init_from.empty() || resume.empty()) return init_from;
  if (!std::filesystem::exists(resume))
    throw std::runtime_error(resume.string() + ": cannot be read");
  return std::filesystem::is_directory(resume) ? resume : resume.parent_path() / kPackage;
}

ModelConfig start_architecture(const std::filesystem::path& package) {
  auto architecture = load_description(package / kDescriptionFile).architecture;
  if (architecture.target_memory == TargetMemory::kSsru)
    throw std::runtime_error(package.string() +
                             ": its decoder has an SSRU, as Firefox's models have, and SSRU "
                             "decoders cannot be trained; allowed: a package with target_memory: "
                             "attention");
  return architecture;
}

void Trainer::open_tokenizers(const std::filesystem::path& start) {
  const auto& architecture = request_.recipe.architecture;
  if (!start.empty()) {
    tokenizer_files_ = load_description(start / kDescriptionFile).tokenizer;
    for (const auto& name : names_of(tokenizer_files_))
      copy_unless_same(start / name, request_.output / name);
  } else if (const auto file = request_.output / tokenizer_files_.source;
             !std::filesystem::exists(file)) {
    std::vector<std::string> lines;
    corpus_.draw(options_.seed, 0, [&](const Corpus::Example& example) {
      lines.insert(lines.end(), {example.source, example.target});
    });
    std::filesystem::create_directories(request_.output);
    train_tokenizer(lines, architecture.target_vocabulary, file);
  }
  tokenizers_ = load_tokenizers(request_.output, tokenizer_files_);
  const int found = tokenizers_.target->vocabulary_size();
  if (start.empty() && found != architecture.target_vocabulary)
    throw std::runtime_error((request_.output / tokenizer_files_.target).string() + ": found " +
                             std::to_string(found) + " pieces, the recipe's vocabulary is " +
                             std::to_string(architecture.target_vocabulary) +
                             "; start in a different folder");
}

void Trainer::begin_epoch(std::int64_t epoch) {
  epoch_ = epoch;
  const auto number = static_cast<std::uint64_t>(epoch);
  examples_ = encode_epoch(corpus_, tokenizers_, options_.max_tokens, options_.seed, number);
  batches_ = make_batches(examples_, options_.batch_tokens, options_.seed, number);
}

Trainer::Batch Trainer::make_batch(std::span<const TokenPair> pairs,
                                   const BatchIndex& index) const {
  std::size_t source_width = 0;
  std::size_t target_width = 0;
  for (const auto i : index) {
    source_width = std::max(source_width, pairs[i].source.size());
    target_width = std::max(target_width, pairs[i].target.size() + 1);
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
  std::vector<std::int64_t> start_rows;
  std::vector<float> starts;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& pair = pairs[index[static_cast<std::size_t>(row)]];
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
    for (const auto& word : pair.starts) {
      start_rows.push_back(row * s + word.index);
      starts.push_back(word.starts ? 1.F : 0.F);
    }
  }
  return {source.to(device_),
          lengths.to(device_),
          input.to(device_),
          target_lengths.to(device_),
          torch::tensor(target_rows).to(device_),
          torch::tensor(targets).to(device_),
          torch::tensor(start_rows, torch::kLong).to(device_),
          torch::tensor(starts, torch::kFloat).to(device_)};
}

torch::Tensor Trainer::latency(const Batch& batch, const Decoded& decoded) const {
  std::vector<torch::Tensor> delays;
  for (std::size_t layer = 0; layer < decoded.p.size(); ++layer) {
    const auto& attention = replicas_.front()->config().cross_attention_of(static_cast<int>(layer));
    if (std::holds_alternative<MmaOptions>(attention))
      delays.push_back(expected_delays(decoded.weights[layer]));
    else if (std::holds_alternative<GmaOptions>(attention))
      delays.push_back(aligned_delays(decoded.p[layer], batch.source_lengths));
  }
  const auto sum = latency_loss(torch::cat(delays, 1), batch.source_lengths, batch.target_lengths,
                                options_.latency);
  return sum / batch.targets.size(0);
}

torch::Tensor Trainer::sentence_start_loss(const Transformer& model, const Batch& batch,
                                           const torch::Tensor& encoded) const {
  const auto states = encoded.flatten(0, 1).index_select(0, batch.start_rows);
  const auto sum = torch::binary_cross_entropy_with_logits(
      model->sentence_start_logits(states), batch.starts, {}, {}, torch::Reduction::Sum);
  return options_.sentence_start_weight * sum / batch.targets.size(0);
}

Trainer::Pass Trainer::pass(Transformer& model, const Batch& batch, const Policy& policy,
                            double share) {
  const bool train = model->is_training();
  torch::AutoGradMode gradient(train);
  torch::Tensor states;
  torch::Tensor further;  // losses besides that of the translation
  const auto add_loss = [&](const torch::Tensor& loss) {
    further = further.defined() ? further + loss : loss;
  };
  {
    const MixedPrecision autocast(device_, products_.type);
    const auto encoded = model->encode(batch.source);
    const bool delays = train && options_.latency.any();
    const auto decoded = model->decode(encoded, batch.source_lengths, batch.input, policy,
                                       {.min_visible = {}, .keep_weights = delays});
    states = decoded.states.flatten(0, 1).index_select(0, batch.target_rows);
    if (delays) add_loss(latency(batch, decoded));
    if (train && model->config().sentence_starts && batch.starts.size(0) > 0)
      add_loss(sentence_start_loss(model, batch, encoded));
  }
  const auto loss = label_smoothed_loss(states, {model->output_embedding(), model->output_bias()},
                                        batch.targets, options_.label_smoothing, products_.type);
  if (train) ((further.defined() ? loss.smoothed + further : loss.smoothed) * share).backward();
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

std::vector<Trainer::Work> Trainer::draw_work(std::int64_t update) {
  const auto seed = options_.seed * 1'000'003 + static_cast<std::uint64_t>(update);
  torch::manual_seed(seed);
  std::mt19937_64 random(seed);
  std::vector<Work> work;
  // An update's batches are of one epoch; the last update of an epoch may have fewer.
  if (next_batch_ >= batches_.size()) {
    next_batch_ = 0;
    begin_epoch(epoch_ + 1);
  }
  while (work.size() < static_cast<std::size_t>(options_.batches_per_update) &&
         next_batch_ < batches_.size()) {
    const auto& batch = batches_[next_batch_++];
    auto& one = work.emplace_back(Work{&batch, sampler_.draw(random), random(), 0});
    for (const auto i : batch)
      one.tokens += static_cast<std::int64_t>(examples_[i].target.size()) + 1;
  }
  return work;
}

void Trainer::share_out(std::size_t count,
                        const std::function<void(Transformer&, std::size_t)>& body) {
  const auto workers = replicas_.size();
  // The caller is worker 0 and uses as few threads as the others during this call.
  const int threads = thread_count(request_.threads);
  set_threads(std::max(1, threads / static_cast<int>(workers)));
  workers_->run(static_cast<int>(workers), [&](int worker) {
    const auto first = static_cast<std::size_t>(worker);
    for (auto i = first; i < count; i += workers) body(replicas_[first], i);
  });
  set_threads(threads);
}

void Trainer::update_once() {
  const auto update = parameters_->updates() + 1;
  const auto work = draw_work(update);
  std::int64_t tokens = 0;
  for (const auto& one : work) tokens += one.tokens;
  parameters_->zero_gradient();
  std::vector<double> losses(work.size());
  share_out(work.size(), [&](Transformer& model, std::size_t i) {
    seed_dropout(work[i].seed);
    model->train();
    const double share = static_cast<double>(work[i].tokens) / static_cast<double>(tokens);
    losses[i] =
        share * pass(model, make_batch(examples_, *work[i].batch), *work[i].policy, share).smoothed;
  });
  const double norm = parameters_->clip_gradient(options_.clip_norm);
  // A gradient that overflowed would destroy every weight, so the update is skipped.
  if (std::isfinite(norm)) {
    parameters_->step(learning_rate(update));
  } else {
    ++parameters_->updates();
  }
  for (auto* interval : {&since_report_, &since_checkpoint_}) {
    interval->loss += std::accumulate(losses.begin(), losses.end(), 0.0);
    interval->tokens += tokens;
    ++interval->updates;
  }
}

TrainProgress Trainer::measure(ReportInterval& interval) {
  const double elapsed = std::max(seconds_between(interval.began, Clock::now()), 1e-9);
  const auto cpu = std::max<std::clock_t>(std::clock() - interval.cpu_began, 1);
  const auto updates = static_cast<double>(std::max<std::int64_t>(interval.updates, 1));
  TrainProgress progress;
  progress.update = parameters_->updates();
  progress.max_updates = last_update_;
  progress.epoch = epoch_;
  progress.learning_rate = learning_rate(std::max<std::int64_t>(progress.update, 1));
  progress.loss = interval.loss / updates;
  progress.tokens_per_second = static_cast<double>(interval.tokens) / elapsed;
  progress.tokens_per_cpu_second =
      static_cast<double>(interval.tokens) * CLOCKS_PER_SEC / static_cast<double>(cpu);
  progress.seconds_left = elapsed / updates * static_cast<double>(last_update_ - progress.update);
  interval = {};
  return progress;
}

void Trainer::report(const TrainProgress& progress) const {
  if (request_.progress) request_.progress(progress);
}

double Trainer::dev_perplexity() {
  const auto batches = make_batches(dev_, options_.batch_tokens, 0, 0);
  std::vector<Pass> passes(batches.size());
  share_out(batches.size(), [&](Transformer& model, std::size_t i) {
    model->eval();
    passes[i] = pass(model, make_batch(dev_, batches[i]), *dev_policy_, 1);
  });
  double likelihood = 0;
  std::int64_t tokens = 0;
  for (const auto& one : passes) {
    likelihood += one.negative_log_likelihood;
    tokens += one.tokens;
  }
  return std::exp(likelihood / static_cast<double>(tokens));
}

void Trainer::keep(const KeptCheckpoint& checkpoint) {
  std::erase_if(kept_,
                [&](const KeptCheckpoint& one) { return one.updates == checkpoint.updates; });
  kept_.push_back(checkpoint);
  for (; kept_.size() > static_cast<std::size_t>(options_.average); kept_.pop_front()) {
    // Only checkpoints of this run under their own names are removed.
    const auto& oldest = kept_.front();
    const auto own = checkpoint_file(request_.output, oldest.updates);
    std::error_code gone;
    if (std::filesystem::equivalent(oldest.file, own, gone)) std::filesystem::remove(own);
  }
}

void Trainer::write_average() {
  // While the learning rate falls to zero, the last weights are the best; an average would be
  // worse.
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
  description.policies = policies_of(recipe);
  description.default_policy = recipe.default_policy;
  description.source_forms = source_forms(recipe);
  description.trained_words = trained_words(examples_);
  description.training_data = recipe.training_data;
  description.licence = recipe.licence;
  description.origin = recipe.origin;
  description.tokenizer = tokenizer_files_;
  const auto folder = request_.output / kPackage;
  for (const auto& name : names_of(tokenizer_files_))
    copy_unless_same(request_.output / name, folder / name);
  write_half_precision_package(folder, description, replicas_.front(), mean,
                               package_metadata(parameters_->updates(), state()));
}

void Trainer::cool_down_early(std::int64_t from) {
  early_cooldown_ = cooldown_from_ = from;
  last_update_ = from + options_.cooldown_updates;
}

RunState Trainer::state() const {
  return {.epoch = epoch_,
          .next_batch = static_cast<std::int64_t>(next_batch_),
          .best_dev_perplexity = best_dev_,
          .without_improvement = without_improvement_,
          .early_cooldown = early_cooldown_,
          .earlier = {}};
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

  auto state = this->state();
  progress.checkpoint = checkpoint_file(request_.output, progress.update);
  for (const auto& one : kept_) state.earlier.push_back(one.updates);
  write_checkpoint(progress.checkpoint, *parameters_, state);
  checkpoint_update_ = progress.update;
  keep({.updates = progress.update, .file = progress.checkpoint});
  write_average();

  progress.dev_perplexity = perplexity;
  if (request_.evaluate && options_.dev_sentences > 0 && !stopped())
    progress.dev_score = request_.evaluate(request_.output / kPackage);
  report(progress);
  since_checkpoint_ = since_report_ = {};
}

void Trainer::resume() {
  const bool is_package = std::filesystem::is_directory(request_.resume);
  const auto state = is_package ? read_package(request_.resume, replicas_.front(), *parameters_)
                                : read_checkpoint(request_.resume, *parameters_);
  next_batch_ = static_cast<std::size_t>(state.next_batch);
  begin_epoch(state.epoch);
  // A cool-down is a branch: the original run keeps its checkpoints, and its weights are not
  // averaged in.
  if (request_.cooldown > 0 || is_package) return;
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
    if (Clock::now() - since_report_.began >= kReportEvery) report(measure(since_report_));
    if (checkpoint_due()) checkpoint();
  }
  if (checkpoint_update_ != parameters_->updates()) checkpoint();
  if (parameters_->updates() >= last_update_) return TrainEnd::kLastUpdate;
  return improving() ? TrainEnd::kStopped : TrainEnd::kNoImprovement;
}

TrainEnd train(const TrainRequest& request) { return Trainer(request).run(); }

}  // namespace surtitle
