// Inference on the CPU, without LibTorch.
//
// Each thread computes its sentences through the whole model, a few dozen rows at a time. So a
// layer's results stay in the cache. A row is a token of any sentence; only attention depends on
// the sentence. A sentence's numbers do not depend on the other sentences of the batch. This holds
// in float32, and in 8 bits, as the sums of matrix products are exact.
//
// Memory of a slot: KvCache::bytes_per_position() for each source token and layer of both stacks,
// and for each target token and decoder layer.
//
// Thread-safety: none; see Inference.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/cpu/cpu_model.h"
#include "model/cpu/kv_cache.h"
#include "model/cpu/stage_times.h"
#include "model/engine/inference.h"
#include "model/engine/inference_observer.h"
#include "model/util/worker_pool.h"

namespace surtitle {

// Parses "float32", "int8", or "auto": int8 if the CPU multiplies bytes. Throws
// std::invalid_argument with the allowed names, also for int8 on a CPU that cannot.
Precision select_precision(const std::string& name);

class CpuInference final : public Inference {
 public:
  struct Options {
    Precision precision = Precision::kFloat32;
    int threads = 1;
    int slots = 0;
    int source_positions = 0;  // of the longest sentence, end of sentence included
    int target_positions = 0;  // of the longest translation, end of sentence included
  };
  CpuInference(const Package& package, const Options& options);
  // Several inferences may have the same weights, which load_weights() returned for options with
  // the same precision and positions.
  CpuInference(std::shared_ptr<const CpuModel> weights, const Options& options);
  static std::shared_ptr<const CpuModel> load_weights(const Package& package,
                                                      const Options& options);

  int slots() const override { return static_cast<int>(slots_.size()); }
  void open(int slot) override;
  void close(int slot, int source, int target) override;
  void encode(std::span<const SourceToken> tokens) override;
  bool supports(StateClassifier classifier) const override {
    return !model_.classifiers[static_cast<std::size_t>(classifier)].empty();
  }
  float probability(StateClassifier classifier, int slot, int position) const override;
  // Under different policies, a bidirectional encoder encodes different prefixes.
  bool shares_sources() const override { return !bidirectional(); }
  void copy_source(int from, int to, int count) override;
  bool supports_attention() const override { return true; }
  bool finds_peaks() const override { return true; }
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override;
  // Copies the translation so far of slot `from` to slot `to`, which has the same source. REQUIRES:
  // no step is under way in either slot.
  void copy_target(int from, int to);

  // Passes every encoder state, cross-attention and logit to `observer`; nullptr: to none.
  // REQUIRES: it outlives the calls of encode() and decode().
  void observe(InferenceObserver* observer) { observer_ = observer; }

  // For benchmarks: stage_times() returns the time of each stage since time_stages(true), as the
  // sum over all threads.
  void time_stages(bool on);
  StageTimes stage_times() const;

 private:
  // The place of a row's keys and values, and the positions that self-attention sees.
  struct RowSlot {
    int slot;
    int position;
    int visible;
  };

  // A sentence's alignment, and its current step.
  struct Slot {
    std::vector<CpuCrossState> states;       // by layer: up to the last complete step
    std::vector<CpuCrossState> step_states;  // by layer: with the current step
    int target_index = -1;                   // of the current step
    int visible = 0;                         // of the step's furthest layer so far
    int layer = -1;                          // layer that waits for source; -1: none
    // Of a bidirectional encoder: the source so far, and the prefix whose states the caches hold.
    std::vector<int> source;
    int prefix = 0;
    std::vector<float> alignment;  // of the current step: the sum of the aligning heads' weights
    std::vector<float> parked;     // [C]: that layer's state after self-attention
    // By StateClassifier and source position, for the classifiers that the model has.
    std::array<std::vector<float>, kStateClassifiers> probabilities;
  };

  // One thread's rows and intermediate results.
  struct Workspace {
    AlignedVector<float> x;           // [rows, C]: the state
    AlignedVector<float> h;           // [rows, C]: normalised
    AlignedVector<float> query;       // [rows, C]
    AlignedVector<float> context;     // [rows, C]
    AlignedVector<float> wide;        // [rows, max(3C, ffn)]
    AlignedVector<float> logits;      // [rows, kLogits]
    AlignedVector<float> increments;  // [rows, aligned positions of the layer]
    AlignedVector<float> parameters;  // [rows, parameters of the layer]
    std::vector<float> weights;       // [heads, visible], of a row whose attention is requested
    std::vector<float> energies;      // [heads, encoded], of a row whose stops are searched
    std::vector<SourceToken> tokens;  // that are encoded
    std::vector<RowSlot> row_slots;
    std::vector<std::size_t> rows;     // by row: index of its step
    std::vector<std::size_t> waiting;  // steps that resume at a later layer
    std::vector<CpuCrossStep> cross;   // by row
    std::vector<float> best;           // by row: the largest logit
    QuantizedRows bytes;
    KvCache::Scratch scratch;
    CpuCurves curves{0};
    StageClock clock;

    CpuCrossScratch cross_scratch() { return {wide.data(), h.data(), &bytes}; }
  };

  // Computes the states of tokens whose places are in work.row_slots.
  void encode_rows(std::span<const SourceToken> tokens, Workspace& work);
  bool bidirectional() const { return model_.config.encoder_reach == EncoderReach::kBidirectional; }
  // Encodes the prefixes that the steps see, for a bidirectional encoder.
  void encode_prefixes(std::span<const DecoderStep> steps);
  // Returns the positions that hold the first `visible` source tokens of a slot. A bidirectional
  // encoder appends the end of sentence to a prefix without it.
  int positions_of(int slot, int visible) const;
  // Computes the probabilities of all classifiers from encoder states [tokens, C], and passes the
  // states to the observer.
  void classify_states(std::span<const SourceToken> tokens, const float* states);
  void decode_rows(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
                   Workspace& work);
  // Resets the alignment to that before the first step.
  void begin_translation(Slot& state) const;
  void begin_steps(std::span<const DecoderStep> steps, Workspace& work);
  void resume_parked(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work);
  // Computes queries and aligned positions. Parks the steps that need more source and removes their
  // rows. The other steps are in work.cross afterwards.
  void align(std::size_t layer, std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
             Workspace& work);
  // Returns the number of source tokens that the step of a row sees. Before that, advances the sums
  // of aligned positions if the layer is an alignment leader.
  int advance_and_count_visible(std::size_t layer, const DecoderStep& step, std::int64_t row,
                                Workspace& work);
  // The same for monotonic attention, whose stops are searched among the keys.
  int find_visible_by_stops(std::size_t layer, const DecoderStep& step, std::int64_t row,
                            Workspace& work);
  void cross_attend(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work);
  // Passes the attention weights of a row to the observer, and to the step if it requests them.
  void show(std::size_t layer, const DecoderStep& step, const CpuCrossStep& row,
            const Workspace& work) const;
  // Adds the weights of a row's aligning heads to its slot's alignment.
  void add_alignment(std::size_t layer, int slot, int visible, const Workspace& work);
  void argmax_logits(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
                     Workspace& work);

  void embed(const AlignedVector<float>& table, int token, int position, float* x) const;
  void self_attend(const CpuLayer& layer, KvCache& cache, Workspace& work);
  // The recurrent unit in place of self-attention.
  void recur(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work);
  void feed_forward(const CpuLayer& layer, std::int64_t rows, Workspace& work);
  // pre_norm() returns the input of a sub-layer for x, add() adds its output to x. The norm is
  // applied in one of them, see Norm. final_norm() returns x after a stack.
  const float* pre_norm(const CpuNorm& norm, std::int64_t rows, Workspace& work) const;
  const float* final_norm(const CpuNorm& norm, std::int64_t rows, Workspace& work) const;
  void add(const CpuLinear& linear, const float* from, std::int64_t rows, const CpuNorm& norm,
           Stage stage, Workspace& work) const;
  Slot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }

  std::shared_ptr<const CpuModel> weights_;  // may belong to other inferences, too
  const CpuModel& model_;
  int source_positions_;
  std::int64_t width_;  // C
  std::size_t rows_;    // that a thread computes together
  float scale_;         // of queries
  std::vector<Slot> slots_;
  std::vector<KvCache> encoder_;  // by layer
  std::vector<KvCache> decoder_;
  std::vector<KvCache> cross_;
  InferenceObserver* observer_ = nullptr;
  WorkerPool pool_;
  std::vector<Workspace> workspaces_;  // by worker
};

}  // namespace surtitle
