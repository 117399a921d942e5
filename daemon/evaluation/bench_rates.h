// Computes rates from the times of a benchmark, for the table and JSON.
#pragma once

#include <array>
#include <optional>

#include "daemon/evaluation/bench_report.h"

namespace surtitle {

inline constexpr double kGiga = 1e9;
inline constexpr double kMega = 1e6;
inline constexpr double kKilo = 1e3;
inline constexpr double kMilli = 1e-3;
inline constexpr double kMicro = 1e-6;

struct StageName {
  const char* key;   // in JSON
  const char* name;  // in the table
};
inline constexpr std::array<StageName, kStages> kStageNames = {
    {{"embedding", "embedding"},
     {"norms", "norms"},
     {"self_matrices", "self-attention, matrices"},
     {"self_attention", "self-attention itself"},
     {"alignment", "alignment (wp, vp)"},
     {"cross_matrices", "cross-attention, matrices"},
     {"cross_attention", "cross-attention itself"},
     {"feed_forward", "feed-forward"},
     {"output", "output and maximum"}}};

// The rates of a call, from its median time.
struct AchievedRates {
  double tokens = 0;        // per second
  double operations = 0;    // of the matrices, per second
  double weight_bytes = 0;  // per second; the weights count once per call
  // Share of the copy rate: weights, once per call, and the keys and values that the tokens read.
  std::optional<double> memory_share;
};

AchievedRates achieved_rates(const BatchTime& timed, const TokenCost& cost,
                             const BenchReport& report);

}  // namespace surtitle
