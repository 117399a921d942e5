#include "daemon/evaluation/bench_rates.h"

#include <cmath>

namespace surtitle {

AchievedRates achieved_rates(const BatchTime& timed, const TokenCost& cost,
                             const BenchReport& report) {
  const auto& ceilings = report.ceilings;
  const double seconds = timed.time.median;
  const double rate = timed.batch / seconds;
  AchievedRates result;
  result.tokens = rate;
  result.operations = rate * (cost.byte_operations + cost.float_operations);
  result.weight_bytes = cost.weight_bytes / seconds;
  if (report.copy_rate)
    result.memory_share =
        (cost.weight_bytes + timed.batch * cost.cached_bytes) / seconds / *report.copy_rate;
  if (!ceilings) return result;
  result.operations_share =
      rate * (cost.byte_operations / ceilings->byte_operations.value_or(INFINITY) +
              cost.float_operations / ceilings->float_operations);
  for (const auto& read : ceilings->reads)
    if (read.of == "weights") result.weights_share = result.weight_bytes / read.bytes_per_second;
  return result;
}

}  // namespace surtitle
