// Benchmark of an Inference without tokenizer, engine and daemon.
//
// The token ids are fixed. Every step sees its whole source, so no step waits.
//
// Thread-safety: none; the calling thread makes every call.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "model/analysis/bench_timing.h"
#include "model/cpu/stage_times.h"
#include "model/engine/inference.h"
#include "model/engine/translator.h"
#include "model/package/config.h"

namespace surtitle {

// Batch sizes; those that exceed the slots of the Inference are left out.
inline constexpr std::array<int, 8> kBenchBatches = {1, 8, 10, 64, 100, 256, 1000, 4096};
// Batch sizes of the measurements of stages and growth.
inline constexpr std::array<int, 2> kBenchStageBatches = {1, 64};
// Lengths of sentences: the number of source tokens, and of target tokens.
inline constexpr int kBenchLength = 20;
inline constexpr int kBenchGrown = 200;
inline constexpr int kBenchMemoryLength = 100;

struct BatchTime {
  int batch = 0;  // sentences, with one token each
  Timing time;    // of a call
};

// The time of a call at the end of sentences of two lengths.
struct GrowthTime {
  int batch = 0;
  Timing brief;  // kBenchLength
  Timing grown;  // kBenchGrown
};

struct StageShares {
  int batch = 0;
  StageTimes shares{};  // their sum is 1
};

struct WorkTimes {
  std::vector<BatchTime> batches;
  std::vector<GrowthTime> growth;
  std::vector<StageShares> stages;  // only of a CpuInference
};

struct BenchTimes {
  WorkTimes decode;  // of steps at the last target position of kBenchLength
  WorkTimes encode;  // of source tokens at that position
  // Growth of the process for a sentence of kBenchMemoryLength source and target tokens: its keys
  // and values, in whole pages. nullopt if the system does not report it, and on CUDA.
  std::optional<double> resident_bytes;
};

// Receives the number of finished measurements, and the number of all.
using BenchProgress = std::function<void(int done, int all)>;

// Returns `options` with the slots and the sentence length that measure() needs, on a CUDA device
// or on the CPU.
TranslatorOptions bench_room(TranslatorOptions options, bool cuda);

// Runs all measurements, `seconds` each. `progress` may be empty. Throws std::runtime_error if the
// device's memory allows too few slots. REQUIRES: a new Inference with the room of bench_room().
BenchTimes measure(Inference& inference, const ModelConfig& config, double seconds,
                   const BenchProgress& progress = {});

}  // namespace surtitle
