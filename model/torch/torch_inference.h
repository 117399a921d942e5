// Inference on LibTorch, as a second opinion in tests.
//
// Caches are tensors with a row for each slot, allocated once: 8 C (encoder layers + decoder
// layers) S + 8 C decoder layers T bytes a slot, with S and T the positions of the longest source
// and target.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/engine/inference.h"
#include "model/package/package.h"
#include "model/torch/key_value_cache.h"
#include "model/torch/transformer.h"

namespace surtitle {

class TorchInference final : public Inference {
 public:
  struct Options {
    int slots = 0;
    int source_positions = 0;
    int target_positions = 0;
  };
  TorchInference(const Package& package, const Options& options);

  int slots() const override { return static_cast<int>(slots_.size()); }
  void open(int slot) override;
  void close(int, int, int) override {}
  void encode(std::span<const SourceToken> tokens) override;
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override;

 private:
  // What a layer's cross-attention keeps of a sentence.
  struct CrossState {
    torch::Tensor sums;    // float64 [A], on the CPU; undefined where nothing is predicted; where
                           // positions are looked for among the keys, they themselves
    torch::Tensor memory;  // [C]; undefined where a variant keeps none
  };

  // A sentence's alignment, and its step under way; see CpuInference.
  struct Slot {
    std::vector<CrossState> states;       // by layer: up to the last step
    std::vector<CrossState> step_states;  // with the step under way
    int target_index = -1;
    int visible = 0;
    int layer = -1;
    torch::Tensor parked;  // [1, C]
  };

  // The steps of a batched call, row by row, and their states.
  struct Rows {
    std::vector<std::size_t> steps;
    torch::Tensor x;  // [rows, 1, C]
  };

  // Nothing has been predicted of the sentence.
  void begin_translation(Slot& state) const;
  void self_attend(std::size_t layer, std::span<const DecoderStep> steps, Rows& rows);
  void resume_parked(std::size_t layer, std::span<const DecoderStep> steps,
                     const std::vector<std::size_t>& waiting, Rows& rows);
  // Cross-attention and feed-forward; steps that need more source are parked and leave `rows`.
  void cross_attend(std::size_t layer, std::span<const DecoderStep> steps,
                    std::span<StepOutcome> outcomes, Rows& rows);
  // What each row's step sees, and the layer's aligned positions [rows, 1, A], from the sums that
  // its leader's states keep. Rows that have to wait have none that mean anything.
  struct Aligned {
    std::vector<int> visible;
    torch::Tensor positions;
  };
  Aligned align(std::size_t layer, std::span<const DecoderStep> steps, const Rows& rows,
                const torch::Tensor& query, const torch::Tensor& index);
  // Likewise where positions are looked for among the keys.
  Aligned seek(std::size_t layer, std::span<const DecoderStep> steps, const Rows& rows,
               const torch::Tensor& query);
  torch::Tensor slots_of(std::span<const DecoderStep> steps, const Rows& rows) const;  // [rows]
  Slot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }

  Transformer model_;
  int source_positions_;
  std::vector<Slot> slots_;
  std::vector<KeyValueCache> encoder_;  // by encoder layer: [slot, source, 2C]
  std::vector<KeyValueCache> decoder_;  // by decoder layer: [slot, target, 2C]
  std::vector<KeyValueCache> cross_;    // by decoder layer: [slot, source, 2C]
};

}  // namespace surtitle
