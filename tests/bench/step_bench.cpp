// Benchmarks of a decoder step of 64 sentences with each cross-attention of the tests, in float32
// and in 8 bits. SURTITLE_INSTRUCTIONS (model/cpu/instruction_set.h) limits the instructions.
//
// Weights are random, in the shape of the shipped models. A step sees all of its source.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "policies/registry.h"
#include "tests/bench/bench_values.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/variants.h"

namespace surtitle {
namespace {

constexpr int kSentences = 64;
constexpr int kToken = 7;

CpuInference inference_with(const std::string& cross_attention, Precision precision, int length) {
  ModelConfig config;
  config.cross_attention = read_cross_attentions(cross_attention, config.decoder_layers);
  const auto folder = std::filesystem::temp_directory_path() / "surtitle_step_bench";
  const auto package = random_package(config, folder);
  std::filesystem::remove_all(folder);
  return {package,
          {.precision = precision,
           .slots = kSentences,
           .source_positions = length,
           .target_positions = length}};
}

void decoder_step(benchmark::State& state, const std::string& cross_attention,
                  Precision precision) {
  const auto length = static_cast<int>(state.range(0));
  CpuInference inference = inference_with(cross_attention, precision, length);
  const auto policy = make_policy("full-sentence");
  std::vector<SourceToken> tokens;
  std::vector<DecoderStep> steps;
  for (int slot = 0; slot < kSentences; ++slot) {
    inference.open(slot);
    tokens.push_back({.slot = slot, .position = 0, .token = kToken});
    steps.push_back({.slot = slot,
                     .target_index = 0,
                     .previous = kToken,
                     .encoded = length,
                     .min_visible = length,
                     .max_visible = length,
                     .policy = policy.get()});
  }
  std::vector<StepOutcome> outcomes(steps.size());
  for (int position = 0; position < length; ++position) {
    for (auto& token : tokens) token = {token.slot, position, kToken + position};
    inference.encode(tokens);
  }
  for (int index = 0; index < length; ++index) {
    for (auto& step : steps) step.target_index = index;
    inference.decode(steps, outcomes);
  }
  for (auto _ : state) inference.decode(steps, outcomes);
  state.counters["tokens/s"] = per_second(kSentences);
}

void register_step(const char* variant, Precision precision) {
  const std::string name = std::string("decoder_step/") + variant +
                           (precision == Precision::kInt8 ? "/int8" : "/float32");
  benchmark::RegisterBenchmark(name.c_str(), decoder_step, std::string(variant), precision)
      ->ArgName("length")
      ->Arg(20)
      ->Arg(200);
}

const bool registered = [] {
  for (const char* variant : kCrossAttentions) {
    register_step(variant, Precision::kFloat32);
    if (Int8Matrix::supported()) register_step(variant, Precision::kInt8);
  }
  return true;
}();

}  // namespace
}  // namespace surtitle
