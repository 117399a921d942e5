// The incremental engine: a Translator on LibTorch.
//
// Every sentence has a slot in pre-allocated caches. A source token is encoded once, when it
// arrives; its encoder keys and values and each decoder layer's cross-attention keys and values
// stay. A target token costs one decoder step. All sentences that can move share one batched call
// per layer.
//
// A decoder step can stop inside: layer l may need source that has not arrived. The sentence then
// keeps the layer's input and the number of source tokens that it needs, and goes on at that layer
// when they are there.
//
// End of sentence before the source is finished is a READ: the step is done again seeing one token
// more than before, and no later step sees less. What a step may see depends on the sentence, the
// model and the policy alone.
//
// Memory of a slot in bytes, float32: 8 C (encoder layers + decoder layers) S + 8 C decoder layers
// T, with S and T the longest source and target; pages that no sentence reached are never touched.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/package.h"
#include "model/transformer.h"
#include "model/translator.h"

namespace surtitle {

class Engine final : public Translator {
 public:
  Engine(const Package& package, const TranslatorOptions& options);

  const ModelInfo& info() const noexcept override { return info_; }
  std::optional<SentenceId> open(PolicyPtr policy) override;
  void read(SentenceId sentence, std::span<const int> tokens) override;
  void finish(SentenceId sentence) override;
  void close(SentenceId sentence) override;
  bool step(std::vector<Write>& writes) override;

 private:
  // One open sentence.
  struct Sentence {
    PolicyPtr policy;  // none: the slot is free
    std::vector<std::int64_t> source;
    bool finished = false;
    bool ended = false;
    int encoded = 0;  // source tokens whose states are in the caches

    int target_index = 0;  // of the step under way
    std::int64_t previous = 0;
    int least_visible = 0;     // no step sees less: raised by READs at an early end of sentence
    std::vector<double> sums;  // by layer: increments of the aligned position up to the last step

    // The step under way.
    int layer = 0;         // where it is taken up
    torch::Tensor parked;  // [1, C]: that layer's state after self-attention; undefined: a new step
    std::vector<double> step_sums;  // by layer
    int visible = 0;                // furthest layer so far
    int needed = 1;                 // source tokens that it waits for
  };

  // The sentences of a batched call, row by row, and their states.
  struct Rows {
    std::vector<SentenceId> sentences;
    torch::Tensor x;  // [rows, 1, C]
  };

  bool can_move(const Sentence& sentence) const;
  void encode_pending();
  void decode(std::vector<Write>& writes);
  void self_attend(std::size_t layer, Rows& rows);
  // Cross-attention and feed-forward; sentences that need more source are parked and leave `rows`.
  void cross_attend(std::size_t layer, Rows& rows);
  void choose(const Rows& rows, std::vector<Write>& writes);
  void begin_step(Sentence& sentence);
  void warm_up();

  torch::Tensor slots_of(const std::vector<SentenceId>& sentences) const;  // int64 [rows]
  Sentence& at(SentenceId id) { return sentences_[static_cast<std::size_t>(id)]; }

  ModelInfo info_;
  torch::Device device_;
  Transformer model_;
  std::vector<Sentence> sentences_;
  std::vector<SentenceId> free_;

  std::vector<KeyValueCache> encoder_;  // by encoder layer: [slot, source, 2C]
  std::vector<KeyValueCache> decoder_;  // by decoder layer: [slot, target, 2C]
  std::vector<KeyValueCache> cross_;    // by decoder layer: [slot, source, 2C]
};

}  // namespace surtitle
