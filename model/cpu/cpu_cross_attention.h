// Cross-attentions on the CPU, computed step by step.
//
// The equation and the variants are those of model/torch/attention.h; the headers beside it state
// the mathematics of each variant.
//
// A step of a sentence calls, in each layer, increments() and position(), or find_stops(). Then the
// policy gives the visible source, and the step may have to wait. prepare(), weigh(),
// KvCache::attend() and remember() follow. A row's result does not depend on the other rows.
//
// Thread-safety: immutable after construction; each thread has its own CpuCrossScratch.
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

// State of a decoder layer for one sentence, from step to step.
struct CpuCrossState {
  std::vector<double> sums;   // [A]: of increments; if seeks(), positions
  std::vector<float> memory;  // [C], if recurrent(): memory of the step before
  std::vector<float> cell;    // [C], of the layer's recurrent unit, if it has one
};

// A step of one sentence whose visible source is encoded.
struct CpuCrossStep {
  int target_index = 0;          // from 0
  int visible = 0;               // source tokens
  const double* sums = nullptr;  // [A]: of the leading layer
  float* query = nullptr;        // [C], scaled; steps are adjacent
  float* parameters = nullptr;   // [parameters()]: written by prepare() for weigh() and remember()
  const float* context = nullptr;  // [C]: for remember()
  const float* before = nullptr;   // [C]: the memory of the step before
  float* memory = nullptr;         // [C]: the memory of this step
};
using CpuCrossSteps = std::span<const CpuCrossStep>;

// Temporary memory of one thread.
struct CpuCrossScratch {
  float* wide = nullptr;    // [rows, 3C]
  float* narrow = nullptr;  // [rows, C]
  QuantizedRows* bytes = nullptr;
};

// Buffers for the pieces of one step's equation, each [H, source positions].
struct CpuCurves {
  explicit CpuCurves(std::size_t size) : bias(size), scale(size), added(size) {}

  std::vector<float> bias;
  std::vector<float> scale;
  std::vector<float> added;
};

// Scaled dot-product attention; variants override parts of it.
class CpuCrossAttention {
 public:
  CpuCrossAttention() = default;
  CpuCrossAttention(const CpuCrossAttention&) = delete;
  CpuCrossAttention& operator=(const CpuCrossAttention&) = delete;
  virtual ~CpuCrossAttention() = default;

  // A, the number of increments that it predicts for a step; 0 if none.
  virtual int predicted() const { return 0; }
  virtual bool recurrent() const { return false; }
  // Number of floats that prepare() writes for a step.
  virtual int parameters() const { return 0; }

  // Before the policy. Writes the increments [rows, A] of scaled queries [rows, C].
  virtual void increments(const float* /*queries*/, std::int64_t /*rows*/,
                          const CpuCrossScratch& /*scratch*/, float* /*increments*/) const {}
  // Writes before + increments [A] to sums [A]. `before`: the sums up to the last complete step.
  virtual void advance(const float* increments, int target_index, const double* before,
                       double* sums) const;
  // Returns p, from the sums [A].
  virtual double position(const double* /*sums*/, int target_index) const { return target_index; }
  // For clients that request attention: the positions of which position() is the furthest; empty if
  // the variant predicts none.
  virtual std::vector<float> positions(const double* /*sums*/) const { return {}; }

  // Whether the layer searches the keys for its A positions (model/engine/monotonic_stops.h) in
  // place of increments() and advance(). energies() turns a step's scores [H, count] into the
  // energies to search.
  virtual bool seeks() const { return false; }
  virtual void energies(float* /*scores*/, int /*count*/) const {}

  // After the policy: all matrix products of many rows.
  virtual void prepare(CpuCrossSteps /*steps*/, const CpuCrossScratch& /*scratch*/) const {}
  // Sets a step's pieces of the equation in the Query. A temperature instead divides step.query.
  virtual void weigh(const CpuCrossStep& /*step*/, CpuCurves& /*curves*/,
                     KvCache::Query& /*query*/) const {}
  // For an observer, after weigh(); a value in every step or in none.
  virtual std::optional<AttentionControl> control(const CpuCrossStep& /*step*/) const { return {}; }
  // Writes each step's memory. Called if recurrent().
  virtual void remember(CpuCrossSteps /*steps*/, const CpuCrossScratch& /*scratch*/) const {}

  // Adapts the keys' projection [C, C] and bias [C] to the score.
  virtual void change_keys(float* /*weight*/, float* /*bias*/) const {}
};

// A layer's own parameters: tensors of a package, with names and shapes checked.
struct CpuCrossWeights {
  const SafetensorsFile& file;
  std::string prefix;  // "decoder.layers.0.encoder_attn."
  std::int64_t width;  // C
  int heads;
  bool leads;  // the layer predicts its own aligned positions
  Precision precision;

  std::vector<float> values(const std::string& name) const;
};

std::unique_ptr<const CpuCrossAttention> make_cpu_cross_attention(const CrossAttention& attention,
                                                                  const CpuCrossWeights& weights);

}  // namespace surtitle
