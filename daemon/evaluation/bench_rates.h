// What is worked out of a benchmark's times, for table and JSON alike.
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
     {"output", "output and its largest"}}};

// What a call reached by its median time.
struct Reached {
  double tokens = 0;        // a second
  double operations = 0;    // of the matrices, a second
  double weight_bytes = 0;  // a second, counted once a call
  // Of the ceilings: the time that operations would take at theirs through the time taken, and
  // the rate at which so many bytes can be read.
  std::optional<double> operations_share;
  std::optional<double> weights_share;
  // Of the copy rate: weights, once a call, and the keys and values that the tokens read.
  std::optional<double> memory_share;
};

Reached reached(const BatchTime& timed, const TokenCost& cost, const BenchReport& report);

}  // namespace surtitle
