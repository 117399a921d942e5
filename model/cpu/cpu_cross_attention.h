// The cross-attentions on the CPU, step by step: the same equation and the same variants as
// model/torch/attention.h, whose headers beside it state each one's mathematics.
//
// In a layer, a step of a sentence goes through increments() and position(), or find_stops() (the
// policy then says what it sees, and it may have to wait), prepare(), weigh(), KvCache::attend()
// and remember(). What a row gets does not depend on the rows beside it.
//
// Thread-safety: immutable after construction; each thread brings its own CpuCrossScratch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cpu/cpu_linear.h"
#include "model/cpu/kv_cache.h"
#include "model/engine/inference_observer.h"
#include "model/package/cross_attention_options.h"
#include "model/package/safetensors.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

// What a layer's cross-attention keeps of a sentence from step to step.
struct CpuCrossState {
  std::vector<double> sums;   // [A]: of increments; where seeks(), positions
  std::vector<float> memory;  // [C], where recurrent(): what the step before left
};

// A step of one sentence whose source is there.
struct CpuCrossStep {
  int target_index = 0;            // from 0
  int visible = 0;                 // source tokens that it sees
  const double* sums = nullptr;    // [A]: of the layer that leads
  float* query = nullptr;          // [C], scaled; of one step behind those of the one before
  float* parameters = nullptr;     // [parameters()]: from prepare() to weigh() and remember()
  const float* context = nullptr;  // [C]: at remember()
  const float* before = nullptr;   // [C]: the memory of the step before
  float* memory = nullptr;         // [C]: that of this one
};
using CpuCrossSteps = std::span<const CpuCrossStep>;

// One thread's memory on the way.
struct CpuCrossScratch {
  float* wide = nullptr;    // [rows, 3C]
  float* narrow = nullptr;  // [rows, C]
  QuantizedRows* bytes = nullptr;
};

// Room for the pieces of one step's equation, each [H, source positions].
struct CpuCurves {
  explicit CpuCurves(std::size_t size) : bias(size), scale(size), added(size) {}

  std::vector<float> bias;
  std::vector<float> scale;
  std::vector<float> added;
};

// Scaled dot-product attention, where nothing is overridden.
class CpuCrossAttention {
 public:
  CpuCrossAttention() = default;
  CpuCrossAttention(const CpuCrossAttention&) = delete;
  CpuCrossAttention& operator=(const CpuCrossAttention&) = delete;
  virtual ~CpuCrossAttention() = default;

  // Increments of a step, A, where it predicts some; else 0.
  virtual int predicted() const { return 0; }
  virtual bool recurrent() const { return false; }
  // Floats that prepare() leaves for a step.
  virtual int parameters() const { return 0; }

  // Before the policy: increments [rows, A] from scaled queries [rows, C]; the sums [A] with a
  // step's increments [A]; p from the sums.
  virtual void increments(const float*, std::int64_t, const CpuCrossScratch&, float*) const {}
  virtual void advance(const float* increments, int target_index, const double* before,
                       double* sums) const;
  virtual double position(const double*, int target_index) const { return target_index; }
  // For who asks to see them: the positions among which position() is the furthest; none where the
  // variant predicts none.
  virtual std::vector<float> positions(const double* /*sums*/) const { return {}; }

  // Whether increments() and advance() give way to positions, A in number, that are looked for
  // among the keys (model/engine/monotonic_stops.h). energies(): a step's scores [H, count] ->
  // what they are looked for in.
  virtual bool seeks() const { return false; }
  virtual void energies(float*, int /*count*/) const {}

  // After it: everything that is a matrix product of many rows.
  virtual void prepare(CpuCrossSteps, const CpuCrossScratch&) const {}
  // A step's pieces of the equation, as `query` takes them. A temperature is put into step.query.
  virtual void weigh(const CpuCrossStep&, CpuCurves&, KvCache::Query&) const {}
  // For an observer, after weigh(): in every step or in none.
  virtual std::optional<AttentionControl> control(const CpuCrossStep&) const { return {}; }
  // Leaves each step's memory. Called where recurrent().
  virtual void remember(CpuCrossSteps, const CpuCrossScratch&) const {}

  // Changes the keys' projection [C, C] and bias [C] as the score wants them.
  virtual void change_keys(float*, float*) const {}
};

// A layer's own parameters: tensors of a package whose names and shapes were checked.
struct CpuCrossWeights {
  const SafetensorsFile& file;
  std::string prefix;  // "decoder.layers.0.encoder_attn."
  std::int64_t width;  // C
  int heads;
  bool leads;  // the layer predicts aligned positions of its own
  Precision precision;

  std::vector<float> values(const std::string& name) const;
};

std::unique_ptr<const CpuCrossAttention> make_cpu_cross_attention(const CrossAttention& attention,
                                                                  const CpuCrossWeights& weights);

}  // namespace surtitle
