// Benchmarks of a decoder step of 64 sentences with each cross-attention of the tests.
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

CpuInference inference_with(const std::string& cross_attention, int length) {
  ModelConfig config;
  config.cross_attention = read_cross_attentions(cross_attention, config.decoder_layers);
  const auto folder = std::filesystem::temp_directory_path() / "surtitle_step_bench";
  const auto package = random_package(config, folder);
  std::filesystem::remove_all(folder);
  return {package,
          {.precision = select_precision("auto"),
           .slots = kSentences,
           .source_positions = length,
           .target_positions = length}};
}

void decoder_step(benchmark::State& state, const std::string& cross_attention) {
  const auto length = static_cast<int>(state.range(0));
  CpuInference inference = inference_with(cross_attention, length);
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

const bool registered = [] {
  for (const char* variant : kCrossAttentions)
    benchmark::RegisterBenchmark((std::string("decoder_step/") + variant).c_str(), decoder_step,
                                 std::string(variant))
        ->ArgName("length")
        ->Arg(20)
        ->Arg(200);
  return true;
}();

}  // namespace
}  // namespace surtitle
