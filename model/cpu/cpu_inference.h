// Inference on the CPU, without LibTorch.
//
// Sentences are shared among threads, and each thread takes its share through the whole model, a
// few dozen rows at a time, so that what a layer leaves stays in its cache. Rows are tokens of
// whatever sentence; only attention looks at which.
//
// In float32 a sentence's numbers do not depend on who shares the batch. In 8 bits the matrices'
// sums are exact, and the same holds.
//
// Memory of a slot: KvCache::bytes_per_position() for each source token and layer of both stacks,
// and for each target token and decoder layer.
#pragma once

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

// "float32", "int8", or "auto": int8 where the CPU has the instructions for it. Throws
// std::invalid_argument with what is allowed.
Precision select_precision(const std::string& name);

class CpuInference final : public Inference {
 public:
  struct Options {
    Precision precision = Precision::kFloat32;
    int threads = 1;
    int slots = 0;
    int source_positions = 0;  // of the longest sentence, end of sentence included
    int target_positions = 0;
  };
  CpuInference(const Package& package, const Options& options);

  int slots() const override { return static_cast<int>(slots_.size()); }
  void open(int slot) override;
  void close(int slot, int source, int target) override;
  void encode(std::span<const SourceToken> tokens) override;
  bool supports_unit_ends() const override { return !model_.unit_end.empty(); }
  float unit_end(int slot, int position) const override;
  bool shares_sources() const override { return true; }
  bool supports_attention() const override { return true; }
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override;

  // Tells `observer` of every encoder state and cross-attention from now on; nullptr: nobody. It
  // outlives the calls.
  void observe(InferenceObserver* observer) { observer_ = observer; }

  // For benchmarks: the time of each stage since it was turned on, of all threads together.
  void time_stages(bool on);
  StageTimes stage_times() const;

 private:
  // Where a row's keys and values belong.
  struct RowSlot {
    int slot;
    int position;
  };

  // A sentence's alignment, and its step under way.
  struct Slot {
    std::vector<CpuCrossState> states;       // by layer: up to the last step
    std::vector<CpuCrossState> step_states;  // with the step under way
    int target_index = -1;                   // of the step under way
    int visible = 0;                         // of its furthest layer so far
    int layer = -1;                          // where it waits for source; -1: it does not
    std::vector<float> parked;               // [C]: that layer's state after self-attention
    std::vector<float> unit_ends;            // by source position, of a model that tells them
  };

  // One thread's rows and what it computes on the way.
  struct Workspace {
    AlignedVector<float> x;           // [rows, C]: the state
    AlignedVector<float> h;           // [rows, C]: normalised
    AlignedVector<float> query;       // [rows, C]
    AlignedVector<float> context;     // [rows, C]
    AlignedVector<float> wide;        // [rows, max(3C, ffn)]
    AlignedVector<float> logits;      // [rows, kLogits]
    AlignedVector<float> increments;  // [rows, aligned positions of the layer]
    AlignedVector<float> parameters;  // [rows, parameters of the layer]
    std::vector<float> weights;       // [heads, visible], of a row that somebody looks at
    std::vector<float> energies;      // [heads, encoded], of a row whose positions are looked for
    std::vector<RowSlot> row_slots;
    std::vector<std::size_t> rows;     // of the steps
    std::vector<std::size_t> waiting;  // steps that begin at a later layer
    std::vector<CpuCrossStep> cross;   // by row
    std::vector<float> best;           // by row: the largest logit
    QuantizedRows bytes;
    KvCache::Scratch scratch;
    CpuCurves curves{0};
    StageClock clock;

    CpuCrossScratch cross_scratch() { return {wide.data(), h.data(), &bytes}; }
  };

  void encode_rows(std::span<const SourceToken> tokens, Workspace& work);
  // Unit ends of encoder states [tokens, C], and their observer.
  void note_states(std::span<const SourceToken> tokens, const float* states);
  void decode_rows(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
                   Workspace& work);
  // Nothing has been predicted of the sentence.
  void begin_translation(Slot& state) const;
  void begin_steps(std::span<const DecoderStep> steps, Workspace& work);
  void resume_parked(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work);
  // Queries and aligned positions; steps that need more source are parked and leave the rows.
  // Leaves the others in work.cross.
  void align(std::size_t layer, std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
             Workspace& work);
  // Source tokens that the step of a row sees, with its sums advanced where the layer leads.
  int visible(std::size_t layer, const DecoderStep& step, std::int64_t row, Workspace& work);
  // Likewise where its positions are looked for among the keys.
  int seek(std::size_t layer, const DecoderStep& step, std::int64_t row, Workspace& work);
  void cross_attend(std::size_t layer, std::span<const DecoderStep> steps, Workspace& work);
  // Tells the observer, and who asked for the step, of the weights that the row left.
  void show(std::size_t layer, const DecoderStep& step, const CpuCrossStep& row,
            const Workspace& work) const;
  void argmax_logits(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes,
                     Workspace& work);

  void embed(const AlignedVector<float>& table, int token, int position, float* x) const;
  void self_attend(const CpuLayer& layer, KvCache& cache, Workspace& work);
  void feed_forward(const CpuLayer& layer, std::int64_t rows, Workspace& work);
  // The input of a sub-layer for x, and its output added to x, with the norm where it belongs.
  const float* pre_norm(const CpuNorm& norm, std::int64_t rows, Workspace& work) const;
  void add(const CpuLinear& linear, const float* from, std::int64_t rows, const CpuNorm& norm,
           Stage stage, Workspace& work) const;
  Slot& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }

  CpuModel model_;
  std::int64_t width_;  // C
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
