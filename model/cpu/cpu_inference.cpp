#include "model/cpu/cpu_inference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "model/cpu/vector_math.h"
#include "model/cpu/work_shares.h"
#include "model/engine/monotonic_stops.h"
#include "model/engine/state_classifier.h"

namespace surtitle {
namespace {

// Rows that a thread computes together. Their intermediate results fit into a cache of 1 MiB. A
// multiple of the rows of a matrix tile.
constexpr std::size_t kRows = 96;
constexpr std::int64_t kLogits = 512;  // outputs whose logits are computed together

template <typename Vector>
void resize(Vector& vector, std::int64_t size) {
  vector.resize(static_cast<std::size_t>(size));
}

// Returns the mean [visible] of weights [heads, visible].
std::vector<float> mean_of_heads(std::span<const float> weights, int heads) {
  const auto visible = weights.size() / static_cast<std::size_t>(heads);
  std::vector<float> mean(visible);
  for (std::size_t i = 0; i < weights.size(); ++i) mean[i % visible] += weights[i];
  for (float& weight : mean) weight /= static_cast<float>(heads);
  return mean;
}

// Takes the weight of an end of sentence that the encoder appended to `visible` tokens out of a
// mean of heads, whose sum remains.
void leave_out_end(std::vector<float>& weights, int visible) {
  if (weights.size() <= static_cast<std::size_t>(visible)) return;
  const float rest = 1 - weights.back();
  weights.pop_back();
  if (rest <= 0) return;
  for (float& weight : weights) weight /= rest;
}

// Returns the position of the largest of the first `visible` weights, or -1 if there is none.
int peak_of(const std::vector<float>& weights, int visible) {
  const auto end = weights.begin() + std::min<std::ptrdiff_t>(std::ssize(weights), visible);
  return end == weights.begin()
             ? -1
             : static_cast<int>(std::max_element(weights.begin(), end) - weights.begin());
}

}  // namespace

Precision select_precision(const std::string& name) {
  const bool bytes = Int8Matrix::supported();
  if (name == "float32") return Precision::kFloat32;
  if (name == "auto") return bytes ? Precision::kInt8 : Precision::kFloat32;
  if (name != "int8")
    throw std::invalid_argument("precision '" + name +
                                "' is unknown; allowed: auto, float32, int8");
  if (!bytes)
    throw std::invalid_argument(
        "precision 'int8' is not supported: this CPU has neither AVX2 nor Arm's dot product; "
        "allowed: auto, float32");
  return Precision::kInt8;
}

CpuInference::CpuInference(const Package& package, const Options& options)
    : CpuInference(load_weights(package, options), options) {}

std::shared_ptr<const CpuModel> CpuInference::load_weights(const Package& package,
                                                           const Options& options) {
  return std::make_shared<const CpuModel>(
      package, options.precision, std::max(options.source_positions, options.target_positions));
}

CpuInference::CpuInference(std::shared_ptr<const CpuModel> weights, const Options& options)
    : weights_(std::move(weights)),
      model_(*weights_),
      source_positions_(options.source_positions),
      width_(model_.config.d_model),
      rows_(bidirectional() ? std::max(kRows, static_cast<std::size_t>(source_positions_)) : kRows),
      scale_(static_cast<float>(std::pow(model_.config.d_model / model_.config.heads, -0.5))),
      slots_(static_cast<std::size_t>(options.slots)),
      pool_(options.threads),
      workspaces_(static_cast<std::size_t>(options.threads)) {
  const int heads = model_.config.heads;
  const auto caches = [&](std::vector<KvCache>& list, std::size_t layers, int positions) {
    for (std::size_t i = 0; i < layers; ++i)
      list.emplace_back(KvCache::Shape{.slots = options.slots,
                                       .positions = positions,
                                       .heads = heads,
                                       .d = model_.config.d_model / heads},
                        options.precision);
  };
  caches(encoder_, model_.encoder.size(), options.source_positions);
  caches(cross_, model_.decoder.size(), options.source_positions);
  caches(decoder_, model_.decoder.size(), options.target_positions);
  const auto rows = static_cast<std::int64_t>(rows_);
  for (auto& work : workspaces_) {
    for (auto* vector : {&work.x, &work.h, &work.query, &work.context})
      resize(*vector, rows * width_);
    resize(work.wide, rows * std::max<std::int64_t>(3 * width_, model_.config.ffn));
    resize(work.logits, rows * kLogits);
    for (const auto& layer : model_.decoder) {
      const auto room = [&](auto& vector, int floats) {
        resize(vector, std::max(static_cast<std::int64_t>(vector.size()), rows * floats));
      };
      room(work.increments, layer.cross->predicted());
      room(work.parameters, layer.cross->parameters());
    }
    work.curves = CpuCurves(static_cast<std::size_t>(heads * options.source_positions));
  }
}

void CpuInference::open(int index) {
  auto& state = slot(index);
  begin_translation(state);
  state.step_states = state.states;
  state.parked.resize(static_cast<std::size_t>(width_));
  state.target_index = -1;
  state.layer = -1;
  state.source.clear();
  state.prefix = 0;
}

void CpuInference::begin_translation(Slot& state) const {
  state.states.resize(model_.decoder.size());
  for (std::size_t layer = 0; layer < model_.decoder.size(); ++layer) {
    const auto& cross = *model_.decoder[layer].cross;
    state.states[layer].sums.assign(static_cast<std::size_t>(cross.predicted()), 0);
    state.states[layer].memory.assign(cross.recurrent() ? static_cast<std::size_t>(width_) : 0, 0);
    if (model_.config.target_memory == TargetMemory::kSsru)
      state.states[layer].cell.assign(static_cast<std::size_t>(width_), 0);
  }
}

void CpuInference::close(int index, int source, int target) {
  if (bidirectional()) source = std::min(source + 1, source_positions_);
  for (auto& cache : encoder_) cache.release(index, source);
  for (auto& cache : cross_) cache.release(index, source);
  for (auto& cache : decoder_) cache.release(index, target);
}

void CpuInference::time_stages(bool on) {
  for (auto& work : workspaces_) work.clock.turn(on);
}

StageTimes CpuInference::stage_times() const {
  StageTimes sum{};
  for (const auto& work : workspaces_)
    for (std::size_t stage = 0; stage < kStages; ++stage) sum[stage] += work.clock.times()[stage];
  return sum;
}

void CpuInference::encode(std::span<const SourceToken> tokens) {
  if (bidirectional()) {
    for (const auto& token : tokens) slot(token.slot).source.push_back(token.token);
    return;
  }
  const int shares = shares_for(tokens.size(), pool_.workers());
  const auto by_share = divide(sentences_of(tokens), shares);
  pool_.run(shares, [&](int share) {
    auto& work = workspaces_[static_cast<std::size_t>(share)];
    work.tokens.clear();
    for (const auto& range : by_share[static_cast<std::size_t>(share)]) {
      const auto sentence = tokens.subspan(range.begin, range.size());
      work.tokens.insert(work.tokens.end(), sentence.begin(), sentence.end());
    }
    const std::span<const SourceToken> all(work.tokens);
    for (std::size_t at = 0; at < all.size(); at += kRows) {
      const auto part = all.subspan(at, std::min(kRows, all.size() - at));
      work.row_slots.clear();
      for (const auto& token : part)
        work.row_slots.push_back({token.slot, token.position, token.position + 1});
      encode_rows(part, work);
    }
  });
}

int CpuInference::positions_of(int index, int visible) const {
  if (!bidirectional()) return visible;
  const auto& source = slots_[static_cast<std::size_t>(index)].source;
  return source[static_cast<std::size_t>(visible) - 1] == kEndOfSentence ? visible : visible + 1;
}

void CpuInference::encode_prefixes(std::span<const DecoderStep> steps) {
  std::vector<SourceToken> tokens;
  std::vector<TokenRange> prefixes;
  for (const auto& step : steps) {
    auto& state = slot(step.slot);
    const int visible = visible_at(step, step.target_index);
    if (visible > step.encoded || state.prefix == visible) continue;
    state.prefix = visible;
    const auto begin = tokens.size();
    const int positions = positions_of(step.slot, visible);
    for (int position = 0; position < positions; ++position)
      tokens.push_back({.slot = step.slot,
                        .position = position,
                        .token = position < visible
                                     ? state.source[static_cast<std::size_t>(position)]
                                     : kEndOfSentence});
    prefixes.push_back({begin, tokens.size()});
  }
  const int shares = shares_for(tokens.size(), pool_.workers());
  const auto by_share = divide(std::move(prefixes), shares);
  pool_.run(shares, [&](int share) {
    auto& work = workspaces_[static_cast<std::size_t>(share)];
    const auto& ranges = by_share[static_cast<std::size_t>(share)];
    for (auto prefix = ranges.begin(); prefix != ranges.end();) {
      // As many whole prefixes as there are rows, at least one.
      work.tokens.clear();
      work.row_slots.clear();
      do {
        for (auto i = prefix->begin; i < prefix->end; ++i) {
          work.tokens.push_back(tokens[i]);
          work.row_slots.push_back(
              {tokens[i].slot, tokens[i].position, static_cast<int>(prefix->size())});
        }
        ++prefix;
      } while (prefix != ranges.end() && work.tokens.size() + prefix->size() <= rows_);
      encode_rows(work.tokens, work);
    }
  });
}

void CpuInference::encode_rows(std::span<const SourceToken> tokens, Workspace& work) {
  const auto& table = model_.config.shared_embeddings ? model_.target_table : model_.source_table;
  const auto rows = static_cast<std::int64_t>(tokens.size());
  work.clock.begin();
  float* x = work.x.data();
  for (const auto& token : tokens) {
    embed(table, token.token, token.position, x);
    x += width_;
  }
  work.clock.end(Stage::kEmbedding);
  for (std::size_t layer = 0; layer < model_.encoder.size(); ++layer) {
    self_attend(model_.encoder[layer], encoder_[layer], work);
    feed_forward(model_.encoder[layer], rows, work);
  }
  const float* states = final_norm(model_.encoder_norm, rows, work);
  classify_states(tokens, states);
  for (std::size_t layer = 0; layer < cross_.size(); ++layer) {
    model_.decoder[layer].cross_key_value(states, rows, work.wide.data(), work.bytes);
    work.clock.end(Stage::kCrossMatrices);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto& place = work.row_slots[static_cast<std::size_t>(row)];
      const float* key = work.wide.data() + row * 2 * width_;
      cross_[layer].write(place.slot, place.position, key, key + width_, work.scratch);
    }
    work.clock.end(Stage::kCrossAttention);
  }
}

void CpuInference::classify_states(std::span<const SourceToken> tokens, const float* states) {
  for (const auto& token : tokens) {
    const std::span<const float> state(states, static_cast<std::size_t>(width_));
    states += width_;
    if (observer_)
      observer_->encoded({.slot = token.slot, .position = token.position, .state = state});
    for (std::size_t i = 0; i < kStateClassifiers; ++i) {
      if (model_.classifiers[i].empty()) continue;
      auto& all = slot(token.slot).probabilities[i];
      all.resize(std::max(all.size(), static_cast<std::size_t>(token.position) + 1));
      all[static_cast<std::size_t>(token.position)] =
          classifier_probability(model_.classifiers[i], state);
    }
  }
}

void CpuInference::copy_source(int from, int to, int count) {
  for (auto& cache : encoder_) cache.copy(from, to, count);
  for (auto& cache : cross_) cache.copy(from, to, count);
  slot(to).probabilities = slot(from).probabilities;
}

void CpuInference::copy_target(int from, int to) {
  const auto& original = slot(from);
  auto& copy = slot(to);
  for (auto& cache : decoder_) cache.copy(from, to, original.target_index + 1);
  copy.states = original.states;
  copy.step_states = original.step_states;
  copy.target_index = original.target_index;
}

float CpuInference::probability(StateClassifier classifier, int index, int position) const {
  const auto& slot = slots_[static_cast<std::size_t>(index)];
  return slot
      .probabilities[static_cast<std::size_t>(classifier)][static_cast<std::size_t>(position)];
}

void CpuInference::decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) {
  if (bidirectional()) encode_prefixes(steps);
  const int shares = shares_for(steps.size(), pool_.workers());
  pool_.run(shares, [&](int share) {
    auto& work = workspaces_[static_cast<std::size_t>(share)];
    const auto end = share_begin(steps.size(), share + 1, shares);
    for (auto at = share_begin(steps.size(), share, shares); at < end; at += kRows) {
      const auto count = std::min(kRows, end - at);
      decode_rows(steps.subspan(at, count), outcomes.subspan(at, count), work);
    }
  });
}

void CpuInference::decode_rows(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
                               Workspace& work) {
  begin_steps(steps, work);
  for (std::size_t layer = 0; layer < model_.decoder.size(); ++layer) {
    if (model_.config.target_memory == TargetMemory::kSsru) {
      recur(layer, steps, work);
    } else {
      work.row_slots.clear();
      for (const auto row : work.rows)
        work.row_slots.push_back(
            {steps[row].slot, steps[row].target_index, steps[row].target_index + 1});
      self_attend(model_.decoder[layer], decoder_[layer], work);
    }
    resume_parked(layer, steps, work);
    align(layer, steps, outcomes, work);
    cross_attend(layer, steps, work);
  }
  argmax_logits(steps, outcomes, work);
}

void CpuInference::begin_steps(std::span<const DecoderStep> steps, Workspace& work) {
  work.rows.clear();
  work.waiting.clear();
  work.clock.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& step = steps[i];
    auto& state = slot(step.slot);
    if (state.layer >= 0) {
      work.waiting.push_back(i);
      continue;
    }
    if (step.target_index == 0) {
      begin_translation(state);
    } else if (step.target_index > state.target_index) {
      state.states = state.step_states;
    }
    state.target_index = step.target_index;
    state.visible = 0;
    state.alignment.clear();
    const bool begins =
        step.target_index == 0 && model_.config.decoder_start == DecoderStart::kBegin;
    embed(model_.target_table, begins ? kBeginOfSentence : step.previous, step.target_index,
          work.x.data() + static_cast<std::int64_t>(work.rows.size()) * width_);
    work.rows.push_back(i);
  }
  work.clock.end(Stage::kEmbedding);
}

void CpuInference::resume_parked(std::size_t layer, std::span<const DecoderStep> steps,
                                 Workspace& work) {
  for (const auto i : work.waiting) {
    auto& state = slot(steps[i].slot);
    if (state.layer != static_cast<int>(layer)) continue;
    std::copy(state.parked.begin(), state.parked.end(),
              work.x.begin() + static_cast<std::int64_t>(work.rows.size()) * width_);
    work.rows.push_back(i);
    state.layer = -1;
  }
}

int CpuInference::advance_and_count_visible(std::size_t layer, const DecoderStep& step,
                                            std::int64_t row, Workspace& work) {
  const auto& weights = model_.decoder[layer];
  const auto& cross = *weights.cross;
  if (cross.seeks()) return find_visible_by_stops(layer, step, row, work);
  auto& state = slot(step.slot);
  if (weights.leader == layer)
    cross.advance(work.increments.data() + row * cross.predicted(), step.target_index,
                  state.states[layer].sums.data(), state.step_states[layer].sums.data());
  const auto& sums = state.step_states[weights.leader].sums;
  return visible_at(step, static_cast<float>(cross.position(sums.data(), step.target_index)));
}

int CpuInference::find_visible_by_stops(std::size_t layer, const DecoderStep& step,
                                        std::int64_t row, Workspace& work) {
  const auto& cross = *model_.decoder[layer].cross;
  auto& state = slot(step.slot);
  const int count = std::min(step.encoded, step.max_visible);
  resize(work.energies, static_cast<std::int64_t>(model_.config.heads) * count);
  cross_[layer].score(
      {.slot = source_slot_of(step), .query = work.query.data() + row * width_, .visible = count},
      work.scratch, work.energies.data());
  cross.energies(work.energies.data(), count);
  auto& stops = state.step_states[layer].sums;
  stops = state.states[layer].sums;
  return find_stops(step, work.energies.data(), count, stops);
}

void CpuInference::align(std::size_t layer, std::span<const DecoderStep> steps,
                         std::span<StepOutcome> outcomes, Workspace& work) {
  const auto& weights = model_.decoder[layer];
  const auto& cross = *weights.cross;
  const auto rows = static_cast<std::int64_t>(work.rows.size());
  weights.cross_query(pre_norm(weights.cross_norm, rows, work), rows, work.query.data(),
                      work.bytes);
  for (std::int64_t i = 0; i < rows * width_; ++i) work.query.data()[i] *= scale_;
  work.clock.end(Stage::kCrossMatrices);
  cross.increments(work.query.data(), rows, work.cross_scratch(), work.increments.data());

  work.cross.clear();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto i = work.rows[static_cast<std::size_t>(row)];
    const auto& step = steps[i];
    auto& state = slot(step.slot);
    const int wanted = advance_and_count_visible(layer, step, row, work);
    const auto at = work.x.begin() + row * width_;
    if (wanted > step.encoded) {
      std::copy(at, at + width_, state.parked.begin());
      state.layer = static_cast<int>(layer);
      outcomes[i] = {.required_source = wanted};
      continue;
    }
    state.visible = std::max(state.visible, wanted);
    const auto kept = static_cast<std::int64_t>(work.cross.size());
    if (row != kept) {
      std::copy(at, at + width_, work.x.begin() + kept * width_);
      std::copy_n(work.query.begin() + row * width_, width_, work.query.begin() + kept * width_);
    }
    work.rows[work.cross.size()] = i;
    work.cross.push_back({.target_index = step.target_index,
                          .visible = positions_of(step.slot, wanted),
                          .sums = state.step_states[weights.leader].sums.data(),
                          .query = work.query.data() + kept * width_,
                          .parameters = work.parameters.data() + kept * cross.parameters(),
                          .context = work.context.data() + kept * width_,
                          .before = state.states[layer].memory.data(),
                          .memory = state.step_states[layer].memory.data()});
  }
  work.rows.resize(work.cross.size());
  if (!work.cross.empty()) cross.prepare(work.cross, work.cross_scratch());
  work.clock.end(Stage::kAlignment);
}

void CpuInference::cross_attend(std::size_t layer, std::span<const DecoderStep> steps,
                                Workspace& work) {
  const auto& weights = model_.decoder[layer];
  const auto& cross = *weights.cross;
  for (std::size_t row = 0; row < work.cross.size(); ++row) {
    const auto& step = work.cross[row];
    const auto& asked = steps[work.rows[row]];
    const bool peaks = asked.finds_peak && !model_.alignment_heads[layer].empty();
    const bool shown = asked.attention || observer_ || peaks;
    KvCache::Query query{.slot = source_slot_of(asked),
                         .query = step.query,
                         .visible = step.visible,
                         .context = work.context.data() + static_cast<std::int64_t>(row) * width_};
    cross.weigh(step, work.curves, query);
    if (shown) {
      resize(work.weights, static_cast<std::int64_t>(model_.config.heads) * step.visible);
      query.weights = work.weights.data();
    }
    cross_[layer].attend(query, work.scratch);
    if (shown) show(layer, asked, step, work);
    if (peaks) add_alignment(layer, asked.slot, step.visible, work);
  }
  if (cross.recurrent()) cross.remember(work.cross, work.cross_scratch());
  work.clock.end(Stage::kCrossAttention);
  const auto count = static_cast<std::int64_t>(work.cross.size());
  add(weights.cross_out, work.context.data(), count, weights.cross_norm, Stage::kCrossMatrices,
      work);
  feed_forward(weights, count, work);
}

void CpuInference::show(std::size_t layer, const DecoderStep& step, const CpuCrossStep& row,
                        const Workspace& work) const {
  const auto& cross = *model_.decoder[layer].cross;
  if (step.attention) {
    step.attention->resize(model_.decoder.size());
    auto& attention = (*step.attention)[layer];
    attention.weights = mean_of_heads(work.weights, model_.config.heads);
    leave_out_end(attention.weights, slots_[static_cast<std::size_t>(step.slot)].visible);
    attention.positions = cross.positions(row.sums);
  }
  if (observer_)
    observer_->attended({.slot = step.slot,
                         .target_index = step.target_index,
                         .layer = static_cast<int>(layer),
                         .p = static_cast<float>(cross.position(row.sums, step.target_index)),
                         .visible = row.visible,
                         .weights = work.weights,
                         .control = cross.control(row)});
}

void CpuInference::add_alignment(std::size_t layer, int index, int visible, const Workspace& work) {
  auto& alignment = slot(index).alignment;
  alignment.resize(std::max(alignment.size(), static_cast<std::size_t>(visible)));
  for (const int head : model_.alignment_heads[layer]) {
    const float* weights = work.weights.data() + static_cast<std::ptrdiff_t>(head) * visible;
    for (int j = 0; j < visible; ++j) alignment[static_cast<std::size_t>(j)] += weights[j];
  }
}

void CpuInference::argmax_logits(std::span<const DecoderStep> steps,
                                 std::span<StepOutcome> outcomes, Workspace& work) {
  const auto rows = static_cast<std::int64_t>(work.rows.size());
  const auto input =
      model_.output.prepare(final_norm(model_.decoder_norm, rows, work), rows, work.bytes);
  work.best.assign(work.rows.size(), -INFINITY);
  for (std::int64_t first = 0; first < model_.output.outputs(); first += kLogits) {
    const auto count = std::min(kLogits, model_.output.outputs() - first);
    model_.output.multiply(
        input, {.first = first, .count = count, .y = work.logits.data(), .stride = count});
    for (std::size_t row = 0; row < work.rows.size(); ++row) {
      float* logits = work.logits.data() + static_cast<std::int64_t>(row) * count;
      steps[work.rows[row]].banned.mask({logits, static_cast<std::size_t>(count)},
                                        static_cast<int>(first));
      if (observer_)
        observer_->predicted({.slot = steps[work.rows[row]].slot,
                              .target_index = steps[work.rows[row]].target_index,
                              .first = static_cast<int>(first),
                              .logits = {logits, static_cast<std::size_t>(count)}});
      const float best = largest(logits, count);
      if (best <= work.best[row]) continue;
      work.best[row] = best;
      outcomes[work.rows[row]].token =
          static_cast<int>(first + (std::find(logits, logits + count, best) - logits));
    }
  }
  for (const auto i : work.rows) {
    const auto& state = slot(steps[i].slot);
    outcomes[i].visible = state.visible;
    outcomes[i].peak = steps[i].finds_peak ? peak_of(state.alignment, state.visible) : -1;
    outcomes[i].required_source = 0;
  }
  work.clock.end(Stage::kOutput);
}

void CpuInference::embed(const AlignedVector<float>& table, int token, int position,
                         float* x) const {
  const float* row = table.data() + token * width_;
  const float* place = model_.sinusoids.data() + position * width_;
  for (std::int64_t c = 0; c < width_; ++c) x[c] = row[c] + place[c];
}

const float* CpuInference::pre_norm(const CpuNorm& norm, std::int64_t rows, Workspace& work) const {
  if (model_.config.norm == Norm::kPost) return work.x.data();
  layer_norm(work.x.data(), rows, width_, norm.gain.data(), norm.bias.data(), work.h.data());
  work.clock.end(Stage::kNorm);
  return work.h.data();
}

const float* CpuInference::final_norm(const CpuNorm& norm, std::int64_t rows,
                                      Workspace& work) const {
  return model_.config.has_final_norms() ? pre_norm(norm, rows, work) : work.x.data();
}

void CpuInference::add(const CpuLinear& linear, const float* from, std::int64_t rows,
                       const CpuNorm& norm, Stage stage, Workspace& work) const {
  linear(from, rows, work.x.data(), work.bytes, Epilogue::kAdd);
  work.clock.end(stage);
  if (model_.config.norm == Norm::kPre) return;
  layer_norm(work.x.data(), rows, width_, norm.gain.data(), norm.bias.data(), work.x.data());
  work.clock.end(Stage::kNorm);
}

void CpuInference::self_attend(const CpuLayer& layer, KvCache& cache, Workspace& work) {
  const auto rows = static_cast<std::int64_t>(work.row_slots.size());
  layer.self_in(pre_norm(layer.self_norm, rows, work), rows, work.wide.data(), work.bytes);
  work.clock.end(Stage::kSelfMatrices);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& place = work.row_slots[static_cast<std::size_t>(row)];
    float* query = work.wide.data() + row * 3 * width_;
    for (std::int64_t c = 0; c < width_; ++c) query[c] *= scale_;
    cache.write(place.slot, place.position, query + width_, query + 2 * width_, work.scratch);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& place = work.row_slots[static_cast<std::size_t>(row)];
    cache.attend({.slot = place.slot,
                  .query = work.wide.data() + row * 3 * width_,
                  .visible = place.visible,
                  .context = work.context.data() + row * width_},
                 work.scratch);
  }
  work.clock.end(Stage::kSelfAttention);
  add(layer.self_out, work.context.data(), rows, layer.self_norm, Stage::kSelfMatrices, work);
}

// With the sub-layer's input x: f = sigmoid(W_f x + b_f), c = f c_before + (1 - f) W x, and the
// output is max(0, c).
void CpuInference::recur(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work) {
  const auto& weights = model_.decoder[layer];
  const auto rows = static_cast<std::int64_t>(work.rows.size());
  weights.self_in(pre_norm(weights.self_norm, rows, work), rows, work.wide.data(), work.bytes);
  work.clock.end(Stage::kSelfMatrices);
  for (std::int64_t row = 0; row < rows; ++row) {
    auto& state = slot(steps[work.rows[static_cast<std::size_t>(row)]].slot);
    const float* before = state.states[layer].cell.data();
    float* cell = state.step_states[layer].cell.data();
    const float* input = work.wide.data() + row * 2 * width_;
    float* forget = work.wide.data() + row * 2 * width_ + width_;
    float* x = work.x.data() + row * width_;
    sigmoid_of(forget, width_);
    for (std::int64_t c = 0; c < width_; ++c) {
      cell[c] = forget[c] * before[c] + (1 - forget[c]) * input[c];
      x[c] += std::max(cell[c], 0.0F);
    }
  }
  work.clock.end(Stage::kSelfAttention);
  if (model_.config.norm == Norm::kPre) return;
  layer_norm(work.x.data(), rows, width_, weights.self_norm.gain.data(),
             weights.self_norm.bias.data(), work.x.data());
  work.clock.end(Stage::kNorm);
}

void CpuInference::feed_forward(const CpuLayer& layer, std::int64_t rows, Workspace& work) {
  const auto activation = model_.config.activation;
  layer.fc1(pre_norm(layer.ffn_norm, rows, work), rows, work.wide.data(), work.bytes,
            activation == Activation::kRelu ? Epilogue::kRelu : Epilogue::kStore);
  const std::int64_t values = rows * model_.config.ffn;
  if (activation == Activation::kSwish) swish_of(work.wide.data(), values);
  if (activation == Activation::kGelu) gelu_of(work.wide.data(), values);
  add(layer.fc2, work.wide.data(), rows, layer.ffn_norm, Stage::kFeedForward, work);
}

}  // namespace surtitle
