// Inference on LibTorch, the reference for tests.
//
// Caches are tensors with a row for each slot, allocated once. A slot costs 8 C (encoder layers +
// decoder layers) S + 8 C decoder layers T bytes, with S and T the positions of the longest source
// and target.
//
// Thread-safety: see Inference.
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
  // State of a layer's cross-attention for one sentence.
  struct CrossState {
    torch::Tensor sums;    // float64 [A], on the CPU; undefined if nothing is predicted; the
                           // positions themselves if the layer searches the keys
    torch::Tensor memory;  // [C]; undefined if a variant has none
  };

  // A sentence's alignment, and its step under way; see CpuInference.
  struct Slot {
    std::vector<CrossState> states;       // by layer: up to the last step
    std::vector<CrossState> step_states;  // plus the step under way
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

  // Resets the state to the begin of the translation.
  void begin_translation(Slot& state) const;
  void self_attend(std::size_t layer, std::span<const DecoderStep> steps, Rows& rows);
  void resume_parked(std::size_t layer, std::span<const DecoderStep> steps,
                     const std::vector<std::size_t>& waiting, Rows& rows);
  // Computes cross-attention and feed-forward. Steps that need more source are parked and removed
  // from `rows`.
  void cross_attend(std::size_t layer, std::span<const DecoderStep> steps,
                    std::span<StepOutcome> outcomes, Rows& rows);
  // The visible source of each row's step, and the layer's aligned positions [rows, 1, A]. They are
  // computed from the sums in the leader's states. Positions of rows that must wait are undefined.
  struct Aligned {
    std::vector<int> visible;
    torch::Tensor positions;
  };
  Aligned align(std::size_t layer, std::span<const DecoderStep> steps, const Rows& rows,
                const torch::Tensor& query, const torch::Tensor& index);
  // The same for a layer that searches the keys.
  Aligned align_by_stops(std::size_t layer, std::span<const DecoderStep> steps, const Rows& rows,
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
