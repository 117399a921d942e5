#include "daemon/evaluation/bench_rates.h"

namespace surtitle {

AchievedRates achieved_rates(const BatchTime& timed, const TokenCost& cost,
                             const BenchReport& report) {
  const double seconds = timed.time.median;
  const double rate = timed.batch / seconds;
  AchievedRates result;
  result.tokens = rate;
  result.operations = rate * (cost.byte_operations + cost.float_operations);
  result.weight_bytes = cost.weight_bytes / seconds;
  if (report.copy_rate)
    result.memory_share =
        (cost.weight_bytes + timed.batch * cost.cached_bytes) / seconds / *report.copy_rate;
  return result;
}

}  // namespace surtitle
