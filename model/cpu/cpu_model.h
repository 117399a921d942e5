// A model's weights in the layout of the CPU's inference.
//
// Thread-safety: immutable after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/cpu/cpu_cross_attention.h"
#include "model/cpu/cpu_linear.h"
#include "model/engine/state_classifier.h"
#include "model/package/package.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

struct CpuNorm {
  std::vector<float> gain;
  std::vector<float> bias;
};

struct CpuLayer {
  CpuNorm self_norm;
  CpuLinear self_in;  // [3C, C]: query, key, value; of a recurrent unit [2C, C]: input, forget gate
  CpuLinear self_out;  // none of a recurrent unit
  CpuNorm ffn_norm;
  CpuLinear fc1;
  CpuLinear fc2;
};

struct CpuDecoderLayer : CpuLayer {
  CpuNorm cross_norm;
  CpuLinear cross_query;
  CpuLinear cross_key_value;  // [2C, C]
  CpuLinear cross_out;
  std::unique_ptr<const CpuCrossAttention> cross;
  std::size_t leader = 0;  // the layer whose aligned positions this one uses
};

struct CpuModel {
  // Reads all weights and computes sinusoids for `positions` positions. Throws std::runtime_error
  // naming file and tensor.
  CpuModel(const Package& package, Precision precision, int positions);

  ModelConfig config;
  AlignedVector<float> source_table;  // [vocabulary, C], scaled by sqrt(C); empty if shared
  AlignedVector<float> target_table;
  AlignedVector<float> sinusoids;  // [positions, C]
  std::vector<CpuLayer> encoder;
  std::vector<CpuDecoderLayer> decoder;
  CpuNorm encoder_norm;  // if has_final_norms()
  CpuNorm decoder_norm;
  // By StateClassifier, [C + 1]: weights, then bias; empty if the model has none.
  std::array<std::vector<float>, kStateClassifiers> classifiers;
  CpuLinear output;
  std::vector<std::vector<int>> alignment_heads;  // by decoder layer
};

}  // namespace surtitle
