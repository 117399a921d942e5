#include "model/torch/torch_inference.h"

#include <algorithm>

#include "model/engine/monotonic_stops.h"
#include "model/text/tokenizer.h"

namespace surtitle {
namespace {

template <typename T>
torch::Tensor column(const std::vector<T>& values) {
  return torch::tensor(values).unsqueeze(1);
}

}  // namespace

TorchInference::TorchInference(const Package& package, const Options& options)
    : model_(package.description.architecture),
      source_positions_(options.source_positions),
      slots_(static_cast<std::size_t>(options.slots)) {
  const c10::InferenceMode inference;
  load_weights(model_, package.weights);
  model_->eval();
  const auto& architecture = package.description.architecture;
  // Zeros, because a masked position must hold a finite number: 0 * NaN is NaN.
  const auto caches = [&](std::vector<KeyValueCache>& list, int layers, std::int64_t length) {
    for (int i = 0; i < layers; ++i)
      list.push_back({torch::zeros({options.slots, length, 2 * architecture.d_model})});
  };
  caches(encoder_, architecture.encoder_layers, options.source_positions);
  caches(cross_, architecture.decoder_layers, options.source_positions);
  caches(decoder_, architecture.decoder_layers, options.target_positions);
}

void TorchInference::open(int index) {
  slot(index) = Slot{};
  begin_translation(slot(index));
  slot(index).step_states = slot(index).states;
}

void TorchInference::begin_translation(Slot& state) const {
  state.states.assign(decoder_.size(), {});
  for (auto& one : state.states) one.memory = torch::zeros({model_->config().d_model});
}

void TorchInference::encode(std::span<const SourceToken> tokens) {
  const c10::InferenceMode inference;
  // One row a sentence, padded on the right. Padding is written to the cache too, after the
  // sentence's end. No step reads it before real tokens have replaced it.
  struct Row {
    std::size_t first;
    std::size_t count;
  };
  std::vector<Row> rows;
  std::size_t width = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (rows.empty() || tokens[i].slot != tokens[i - 1].slot) rows.push_back({i, 0});
    width = std::max(width, ++rows.back().count);
  }
  const auto room = [&](const Row& row) {
    return static_cast<std::size_t>(source_positions_ - tokens[row.first].position);
  };
  for (const auto& row : rows) {
    if (width <= room(row)) continue;
    // Padding would exceed the cache, so the sentences are encoded one at a time.
    for (const auto& one : rows) encode(tokens.subspan(one.first, one.count));
    return;
  }
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto columns = static_cast<std::int64_t>(width);
  auto ids = torch::full({count, columns}, kPadding, torch::kLong);
  auto positions = torch::empty({count, columns}, torch::kLong);
  std::vector<std::int64_t> slots;
  CacheRows cache;
  for (const auto& row : rows) {
    const auto r = static_cast<std::int64_t>(slots.size());
    const auto begin = static_cast<std::int64_t>(tokens[row.first].position);
    for (std::int64_t i = 0; i < columns; ++i) {
      positions[r][i] = begin + i;
      if (i < static_cast<std::int64_t>(row.count))
        ids[r][i] = tokens[row.first + static_cast<std::size_t>(i)].token;
    }
    slots.push_back(tokens[row.first].slot);
    cache.length = std::max(cache.length, begin + columns);
  }
  cache.slots = torch::tensor(slots);
  cache.positions = positions;

  auto x = model_->embed_source(ids, cache.positions);
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

void TorchInference::decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) {
  const c10::InferenceMode inference;
  Rows rows;
  std::vector<std::size_t> waiting;
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& state = slot(steps[i].slot);
    if (state.layer >= 0) {
      waiting.push_back(i);
      continue;
    }
    if (steps[i].target_index == 0) {
      begin_translation(state);
    } else if (steps[i].target_index > state.target_index) {
      state.states = state.step_states;
    }
    state.target_index = steps[i].target_index;
    state.visible = 0;
    rows.steps.push_back(i);
    tokens.push_back(steps[i].previous);
    positions.push_back(steps[i].target_index);
  }
  if (!rows.steps.empty()) rows.x = model_->embed_target(column(tokens), column(positions));

  for (std::size_t layer = 0; layer < decoder_.size(); ++layer) {
    if (!rows.steps.empty()) self_attend(layer, steps, rows);
    resume_parked(layer, steps, waiting, rows);
    if (!rows.steps.empty()) cross_attend(layer, steps, outcomes, rows);
  }
  if (rows.steps.empty()) return;
  const auto logits = model_->logits(model_->finish_decoder(rows.x)).squeeze(1);
  for (std::size_t row = 0; row < rows.steps.size(); ++row)
    steps[rows.steps[row]].banned.mask({logits[static_cast<std::int64_t>(row)].data_ptr<float>(),
                                        static_cast<std::size_t>(logits.size(1))},
                                       0);
  const auto best = logits.argmax(1);
  for (std::size_t row = 0; row < rows.steps.size(); ++row) {
    const auto i = rows.steps[row];
    outcomes[i] = {.token = static_cast<int>(best.data_ptr<std::int64_t>()[row]),
                   .visible = slot(steps[i].slot).visible,
                   .required_source = 0};
  }
}

void TorchInference::resume_parked(std::size_t layer, std::span<const DecoderStep> steps,
                                   const std::vector<std::size_t>& waiting, Rows& rows) {
  for (const auto i : waiting) {
    auto& state = slot(steps[i].slot);
    if (state.layer != static_cast<int>(layer)) continue;
    const auto x = state.parked.unsqueeze(0);
    rows.x = rows.steps.empty() ? x : torch::cat({rows.x, x});
    rows.steps.push_back(i);
    state.layer = -1;
  }
}

void TorchInference::self_attend(std::size_t layer, std::span<const DecoderStep> steps,
                                 Rows& rows) {
  CacheRows cache;
  std::vector<std::int64_t> positions;
  for (const auto i : rows.steps) {
    positions.push_back(steps[i].target_index);
    cache.length = std::max<std::int64_t>(cache.length, steps[i].target_index + 1);
  }
  cache.slots = slots_of(steps, rows);
  cache.positions = column(positions);
  rows.x = model_->decoder_layers()[layer].ptr()->self_attend(rows.x, &decoder_[layer], &cache);
}

void TorchInference::cross_attend(std::size_t layer, std::span<const DecoderStep> steps,
                                  std::span<StepOutcome> outcomes, Rows& rows) {
  const auto& module = *model_->decoder_layers()[layer].ptr();
  const auto count = rows.steps.size();
  auto query = module.cross_query(rows.x);

  std::vector<std::int64_t> indices;
  for (const auto i : rows.steps) indices.push_back(steps[i].target_index);
  auto index = column(indices);
  auto aligned = module.cross_attention().seeks() ? align_by_stops(layer, steps, rows, query)
                                                  : align(layer, steps, rows, query, index);

  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> visible;
  std::vector<std::size_t> remaining;
  for (std::size_t row = 0; row < count; ++row) {
    const auto i = rows.steps[row];
    const auto& step = steps[i];
    auto& state = slot(step.slot);
    const int wanted = aligned.visible[row];
    if (wanted > step.encoded) {
      state.layer = static_cast<int>(layer);
      state.parked = rows.x[static_cast<std::int64_t>(row)].clone();
      outcomes[i] = {.required_source = wanted};
      continue;
    }
    state.visible = std::max(state.visible, wanted);
    kept.push_back(static_cast<std::int64_t>(row));
    visible.push_back(wanted);
    remaining.push_back(i);
  }
  rows.steps = remaining;
  if (kept.empty()) return;
  if (kept.size() < count) {
    const auto selection = torch::tensor(kept);
    rows.x = rows.x.index_select(0, selection);
    query = query.index_select(0, selection);
    aligned.positions = aligned.positions.index_select(0, selection);
    index = index.index_select(0, selection);
  }
  const auto key_value = cross_[layer].prefix(slots_of(steps, rows),
                                              *std::max_element(visible.begin(), visible.end()));
  CrossStep step{query, aligned.positions, index, column(visible), {}};
  if (module.cross_attention().recurrent()) {
    std::vector<torch::Tensor> memories;
    for (const auto i : rows.steps) memories.push_back(slot(steps[i].slot).states[layer].memory);
    step.memory = torch::stack(memories);
  }
  const auto attended = module.cross_attend(rows.x, step, key_value);
  if (attended.memory.defined())
    for (std::size_t row = 0; row < rows.steps.size(); ++row)
      slot(steps[rows.steps[row]].slot).step_states[layer].memory =
          attended.memory[static_cast<std::int64_t>(row)];
  rows.x = module.feed_forward(attended.output);
}

TorchInference::Aligned TorchInference::align(std::size_t layer, std::span<const DecoderStep> steps,
                                              const Rows& rows, const torch::Tensor& query,
                                              const torch::Tensor& index) {
  const auto& module = *model_->decoder_layers()[layer].ptr();
  const auto& attention = module.cross_attention();
  const auto state_of = [&](std::size_t row) -> Slot& { return slot(steps[rows.steps[row]].slot); };
  const auto increments = attention.increments(query, index);  // [rows, 1, A]
  if (increments.defined()) {
    const auto values = increments.squeeze(1).to(torch::kCPU, torch::kDouble);
    for (std::size_t row = 0; row < rows.steps.size(); ++row) {
      auto& state = state_of(row);
      const auto& before = state.states[layer].sums;
      const auto own = values[static_cast<std::int64_t>(row)];
      state.step_states[layer].sums =
          attention.accumulates() && before.defined() ? before + own : own;
    }
  }
  std::vector<torch::Tensor> sums;
  for (std::size_t row = 0; row < rows.steps.size(); ++row)
    sums.push_back(state_of(row).step_states[module.leader()].sums);
  Aligned result;
  result.positions = attention.positions(
      sums.front().defined() ? torch::stack(sums).unsqueeze(1).to(torch::kFloat) : torch::Tensor(),
      index);
  const auto p = result.positions.amax(-1).to(torch::kFloat).contiguous();
  for (std::size_t row = 0; row < rows.steps.size(); ++row)
    result.visible.push_back(visible_at(steps[rows.steps[row]], p.data_ptr<float>()[row]));
  return result;
}

TorchInference::Aligned TorchInference::align_by_stops(std::size_t layer,
                                                       std::span<const DecoderStep> steps,
                                                       const Rows& rows,
                                                       const torch::Tensor& query) {
  const auto& attention = model_->decoder_layers()[layer].ptr()->cross_attention();
  Aligned result;
  std::vector<torch::Tensor> positions;
  for (std::size_t row = 0; row < rows.steps.size(); ++row) {
    const auto& step = steps[rows.steps[row]];
    const int count = std::min(step.encoded, step.max_visible);
    const auto at = static_cast<std::int64_t>(row);
    const auto key_value = cross_[layer].prefix(torch::tensor({step.slot}), count);
    const auto energies =
        attention.energies(query.narrow(0, at, 1), key_value).squeeze(2).contiguous();
    auto& state = slot(step.slot);
    const auto& before = state.states[layer].sums;
    auto stops =
        before.defined() ? before.clone() : torch::zeros({energies.size(1)}, torch::kDouble);
    result.visible.push_back(
        find_stops(step, energies.data_ptr<float>(), count,
                   std::span(stops.data_ptr<double>(), static_cast<std::size_t>(stops.numel()))));
    state.step_states[layer].sums = stops;
    positions.push_back(stops);
  }
  result.positions = torch::stack(positions).unsqueeze(1).to(torch::kFloat);
  return result;
}

torch::Tensor TorchInference::slots_of(std::span<const DecoderStep> steps, const Rows& rows) const {
  std::vector<std::int64_t> slots;
  for (const auto i : rows.steps) slots.push_back(steps[i].slot);
  return torch::tensor(slots);
}

}  // namespace surtitle
