// How fast an Inference is by itself: no tokenizer, no engine, no daemon. It is driven with fixed
// token ids, and every step sees its whole source, so that none waits.
//
// Thread-safety: none; the calling thread makes every call.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/analysis/bench_timing.h"
#include "model/cpu/stage_times.h"
#include "model/engine/inference.h"
#include "model/engine/translator.h"
#include "model/package/config.h"

namespace surtitle {

// Those that the Inference has room for.
inline constexpr std::array<int, 8> kBenchBatches = {1, 8, 10, 64, 100, 256, 1000, 4096};
inline constexpr std::array<int, 2> kBenchStageBatches = {1, 64};  // also of growth
// Source tokens of a sentence, and target tokens too.
inline constexpr int kBenchLength = 20;
inline constexpr int kBenchGrown = 200;
inline constexpr int kBenchMemoryLength = 100;

struct BatchTime {
  int batch = 0;  // sentences, one token each
  Timing time;    // of a call
};

// A token's price at the end of a sentence of kBenchLength tokens and of one of kBenchGrown.
struct GrowthTime {
  int batch = 0;
  Timing brief;
  Timing grown;
};

struct StageShares {
  int batch = 0;
  StageTimes shares{};  // they add up to 1
};

struct WorkTimes {
  std::vector<BatchTime> batches;
  std::vector<GrowthTime> growth;
  std::vector<StageShares> stages;  // of a CpuInference alone
};

struct BenchTimes {
  WorkTimes decode;  // of steps at target position kBenchLength
  WorkTimes encode;  // of source tokens there
  // By which the process grew for a sentence of kBenchMemoryLength source and target tokens: what
  // its keys and values take in whole pages. None where the system does not tell, and on CUDA.
  std::optional<double> resident_bytes;
};

// `options` with the room that measure() needs, on a CUDA device or on the CPU.
TranslatorOptions bench_room(TranslatorOptions options, bool cuda);

// Each measurement takes `seconds`. REQUIRES: a new Inference with the room above. Throws
// std::runtime_error where a device's memory gave it too few slots.
BenchTimes measure(Inference& inference, const ModelConfig& config, double seconds);

}  // namespace surtitle
