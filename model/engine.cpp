#include "model/engine.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "model/device.h"
#include "model/tokenizer.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

// Source tokens of a sentence that one tick encodes at most, so that a long burst does not hold up
// the others.
constexpr int kEncodeAtOnce = 32;

// A translation this long has lost itself: end of sentence is taken as predicted. A function of
// what the step sees, as everything that decides about a sentence.
int longest_target(int visible) { return 2 * visible + 16; }

// Zeros whose pages the system hands out when they are first written: a slot that no sentence uses
// costs nothing.
torch::Tensor lazy_zeros(torch::IntArrayRef sizes, torch::Device device) {
  if (!device.is_cpu()) return torch::zeros(sizes, device);
  const auto count = static_cast<std::size_t>(c10::multiply_integers(sizes));
  void* memory = std::calloc(count, sizeof(float));
  if (!memory) throw std::bad_alloc();
  return torch::from_blob(memory, sizes, [](void* at) { std::free(at); });
}

template <typename T>
torch::Tensor column(const std::vector<T>& values, torch::Device device) {
  return torch::tensor(values).unsqueeze(1).to(device);
}

}  // namespace

Engine::Engine(const Package& package, const TranslatorOptions& options)
    : device_(select_device(options.device)), model_(package.description.architecture) {
  set_threads(options.threads);
  const c10::InferenceMode inference;
  const auto& description = package.description;
  info_ = {.name = description.name,
           .source_language = description.source_language,
           .target_language = description.target_language,
           .trained_policies = description.policies,
           .default_policy = description.default_policy,
           .max_source_tokens = options.max_source_tokens,
           .max_sentences = options.max_sentences};
  load_weights(model_, package.weights);
  model_->eval();
  model_->to(device_);
  if (device_.is_cpu()) model_->pack_weights();

  const auto& architecture = description.architecture;
  const std::int64_t slots = options.max_sentences;
  const std::int64_t source = options.max_source_tokens + 1 + kEncodeAtOnce;
  const std::int64_t target = longest_target(options.max_source_tokens + 1) + 1;
  const auto caches = [&](std::vector<KeyValueCache>& list, int layers, std::int64_t length) {
    // Zeros, because a masked place must hold a number: 0 * NaN is NaN.
    for (int i = 0; i < layers; ++i)
      list.push_back({lazy_zeros({slots, length, 2 * architecture.d_model}, device_)});
  };
  caches(encoder_, architecture.encoder_layers, source);
  caches(cross_, architecture.decoder_layers, source);
  caches(decoder_, architecture.decoder_layers, target);

  sentences_.resize(static_cast<std::size_t>(slots));
  for (int slot = options.max_sentences; slot-- > 0;) free_.push_back(slot);
  warm_up();
}

std::optional<SentenceId> Engine::open(PolicyPtr policy) {
  if (free_.empty()) return std::nullopt;
  const auto id = free_.back();
  free_.pop_back();
  auto& sentence = at(id) = Sentence{};
  sentence.policy = std::move(policy);
  sentence.previous = kEndOfSentence;
  sentence.sums.resize(decoder_.size());
  sentence.step_sums.resize(decoder_.size());
  return id;
}

void Engine::read(SentenceId id, std::span<const int> tokens) {
  auto& source = at(id).source;
  if (source.size() + tokens.size() > static_cast<std::size_t>(info_.max_source_tokens))
    throw std::length_error("sentence of " + std::to_string(source.size() + tokens.size()) +
                            " source tokens; at most " + std::to_string(info_.max_source_tokens));
  source.insert(source.end(), tokens.begin(), tokens.end());
}

void Engine::finish(SentenceId id) {
  at(id).source.push_back(kEndOfSentence);
  at(id).finished = true;
}

void Engine::close(SentenceId id) {
  at(id) = Sentence{};
  free_.push_back(id);
}

bool Engine::can_move(const Sentence& sentence) const {
  if (!sentence.policy || sentence.ended) return false;
  const bool all_encoded = sentence.encoded == static_cast<int>(sentence.source.size());
  return sentence.encoded >= sentence.needed || (sentence.finished && all_encoded);
}

bool Engine::step(std::vector<Write>& writes) {
  const c10::InferenceMode inference;
  encode_pending();
  decode(writes);
  return std::any_of(sentences_.begin(), sentences_.end(), [&](const Sentence& sentence) {
    return can_move(sentence) || sentence.encoded < static_cast<int>(sentence.source.size());
  });
}

torch::Tensor Engine::slots_of(const std::vector<SentenceId>& sentences) const {
  return torch::tensor(std::vector<std::int64_t>(sentences.begin(), sentences.end())).to(device_);
}

void Engine::encode_pending() {
  std::vector<SentenceId> rows;
  std::int64_t width = 0;
  CacheRows cache;
  for (int id = 0; id < info_.max_sentences; ++id) {
    const auto& sentence = at(id);
    const int pending = static_cast<int>(sentence.source.size()) - sentence.encoded;
    if (pending == 0) continue;
    rows.push_back(id);
    width = std::max<std::int64_t>(width, std::min(pending, kEncodeAtOnce));
  }
  if (rows.empty()) return;

  const auto count = static_cast<std::int64_t>(rows.size());
  auto tokens = torch::full({count, width}, kPadding, torch::kLong);
  auto positions = torch::empty({count, width}, torch::kLong);
  for (std::int64_t row = 0; row < count; ++row) {
    auto& sentence = at(rows[static_cast<std::size_t>(row)]);
    // Columns past a row's own tokens are written to the cache too: behind its end, where nothing
    // looks before the real tokens have replaced them.
    const auto added = std::min<std::int64_t>(
        width, static_cast<std::int64_t>(sentence.source.size()) - sentence.encoded);
    for (std::int64_t i = 0; i < width; ++i) {
      positions[row][i] = sentence.encoded + i;
      if (i < added)
        tokens[row][i] = sentence.source[static_cast<std::size_t>(sentence.encoded + i)];
    }
    sentence.encoded += static_cast<int>(added);
    cache.length = std::max<std::int64_t>(cache.length, sentence.encoded - added + width);
  }
  cache.slots = slots_of(rows);
  cache.positions = positions.to(device_);

  auto x = model_->embed_source(tokens.to(device_), cache.positions);
  for (std::size_t layer = 0; layer < encoder_.size(); ++layer) {
    const auto& module = *model_->encoder_layers()[layer].ptr();
    x = module.feed_forward(module.self_attend(x, &encoder_[layer], &cache));
  }
  const auto states = model_->finish_encoder(x);
  for (std::size_t layer = 0; layer < cross_.size(); ++layer) {
    const auto& module = *model_->decoder_layers()[layer].ptr();
    cross_[layer].write(cache, module.cross_attention().project_key_value(states));
  }
}

void Engine::decode(std::vector<Write>& writes) {
  Rows rows;
  std::vector<SentenceId> parked;
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> positions;
  for (int id = 0; id < info_.max_sentences; ++id) {
    const auto& sentence = at(id);
    if (!can_move(sentence)) continue;
    if (sentence.parked.defined()) {
      parked.push_back(id);
    } else {
      rows.sentences.push_back(id);
      tokens.push_back(sentence.previous);
      positions.push_back(sentence.target_index);
    }
  }
  if (rows.sentences.empty() && parked.empty()) return;
  if (!rows.sentences.empty())
    rows.x = model_->embed_target(column(tokens, device_), column(positions, device_));

  for (std::size_t layer = 0; layer < decoder_.size(); ++layer) {
    if (!rows.sentences.empty()) self_attend(layer, rows);
    for (const auto id : parked) {
      auto& sentence = at(id);
      if (sentence.layer != static_cast<int>(layer)) continue;
      const auto x = sentence.parked.unsqueeze(0);
      rows.x = rows.sentences.empty() ? x : torch::cat({rows.x, x});
      rows.sentences.push_back(id);
      sentence.parked = torch::Tensor();
    }
    if (!rows.sentences.empty()) cross_attend(layer, rows);
  }
  if (!rows.sentences.empty()) choose(rows, writes);
}

void Engine::self_attend(std::size_t layer, Rows& rows) {
  CacheRows cache;
  std::vector<std::int64_t> positions;
  for (const auto id : rows.sentences) {
    positions.push_back(at(id).target_index);
    cache.length = std::max<std::int64_t>(cache.length, at(id).target_index + 1);
  }
  cache.slots = slots_of(rows.sentences);
  cache.positions = column(positions, device_);
  rows.x = model_->decoder_layers()[layer].ptr()->self_attend(rows.x, &decoder_[layer], &cache);
}

void Engine::cross_attend(std::size_t layer, Rows& rows) {
  const auto& module = *model_->decoder_layers()[layer].ptr();
  const auto& attention = module.cross_attention();
  const auto count = rows.sentences.size();
  auto query = module.cross_query(rows.x);

  std::vector<std::int64_t> steps;
  for (const auto id : rows.sentences) steps.push_back(at(id).target_index);
  const auto index = column(steps, device_);
  const auto increments = attention.increments(query, index);
  std::vector<float> sums(count);
  if (increments.defined()) {
    const auto values = increments.to(torch::kCPU).contiguous();
    for (std::size_t row = 0; row < count; ++row) {
      auto& sentence = at(rows.sentences[row]);
      sentence.step_sums[layer] =
          sentence.sums[layer] + static_cast<double>(values.data_ptr<float>()[row]);
      sums[row] = static_cast<float>(sentence.step_sums[layer]);
    }
  }
  auto p = attention.aligned_position(column(sums, device_), index);  // [rows, 1]
  const auto positions = p.to(torch::kCPU).contiguous();

  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> visible;
  std::vector<SentenceId> remaining;
  for (std::size_t row = 0; row < count; ++row) {
    auto& sentence = at(rows.sentences[row]);
    int wanted =
        sentence.policy->visible_source(sentence.target_index, positions.data_ptr<float>()[row]);
    wanted = std::max(wanted, sentence.least_visible);
    if (sentence.finished) wanted = std::min(wanted, static_cast<int>(sentence.source.size()));
    if (wanted > sentence.encoded) {
      sentence.layer = static_cast<int>(layer);
      sentence.parked = rows.x[static_cast<std::int64_t>(row)].clone();
      sentence.needed = wanted;
      continue;
    }
    sentence.visible = std::max(sentence.visible, wanted);
    kept.push_back(static_cast<std::int64_t>(row));
    visible.push_back(wanted);
    remaining.push_back(rows.sentences[row]);
  }
  rows.sentences = remaining;
  if (kept.empty()) return;
  if (kept.size() < count) {
    const auto selection = torch::tensor(kept).to(device_);
    rows.x = rows.x.index_select(0, selection);
    query = query.index_select(0, selection);
    p = p.index_select(0, selection);
  }
  const auto longest = *std::max_element(visible.begin(), visible.end());
  const CacheRows cache{.slots = slots_of(remaining), .positions = {}, .length = longest};
  rows.x = module.cross_attend(rows.x, query, cross_[layer], cache, p, column(visible, device_));
  rows.x = module.feed_forward(rows.x);
}

void Engine::begin_step(Sentence& sentence) {
  sentence.layer = 0;
  sentence.parked = torch::Tensor();
  sentence.visible = 0;
  sentence.needed = std::max(1, sentence.least_visible);
}

void Engine::choose(const Rows& rows, std::vector<Write>& writes) {
  const auto logits = model_->logits(model_->finish_decoder(rows.x)).squeeze(1);
  const auto best = logits.argmax(1).to(torch::kCPU);
  for (std::size_t row = 0; row < rows.sentences.size(); ++row) {
    const auto id = rows.sentences[row];
    auto& sentence = at(id);
    auto token = best.data_ptr<std::int64_t>()[row];
    const int visible = sentence.visible;
    if (sentence.target_index >= longest_target(visible)) token = kEndOfSentence;
    if (token != kEndOfSentence) {
      writes.push_back(
          {.sentence = id, .token = static_cast<int>(token), .read = visible, .end = false});
      sentence.previous = token;
      ++sentence.target_index;
      sentence.sums = sentence.step_sums;
    } else if (sentence.finished && visible == static_cast<int>(sentence.source.size())) {
      writes.push_back({.sentence = id, .token = kEndOfSentence, .read = visible, .end = true});
      sentence.ended = true;
    } else {
      sentence.least_visible = visible + 1;
    }
    begin_step(sentence);
  }
}

void Engine::warm_up() {
  const auto id = *open(make_policy("full-sentence"));
  read(id, std::vector<int>(8, kUnknown));
  finish(id);
  std::vector<Write> writes;
  for (int i = 0; i < 4; ++i) step(writes);
  close(id);
}

std::unique_ptr<Translator> load_translator(const std::filesystem::path& package,
                                            const TranslatorOptions& options) {
  return std::make_unique<Engine>(open_package(package), options);
}

}  // namespace surtitle
