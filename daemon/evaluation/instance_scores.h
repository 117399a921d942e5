// Computes the scores of a log of translations and formats them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/instance_log.h"
#include "metrics/latency.h"

namespace surtitle {

struct LogScore {
  std::vector<LatencyScores> latencies;  // one for each instance
  LatencyScores mean;
  // Computation aware; empty if no instance has the times at which its words really appeared.
  std::vector<LatencyScores> aware_latencies = {};
  LatencyScores aware_mean = {};
  std::size_t empty = 0;  // instances without delays, which have no latency
  // Over the instances that have both a prediction and a reference; nullopt if there are none.
  std::size_t with_texts = 0;
  std::optional<BleuScore> bleu;
  std::optional<double> chrf;
};

LogScore score_log(std::span<const Instance> instances);

// Returns the means, the lengths that they use, and signatures, as text. `unit`: of the delays.
std::string to_table(const LogScore& score,
                     std::string_view unit = "the unit of the delays (text logs: words)");

// {"instances": [{"index": .., "AL": .., ..}, ..], "summary": {"AL": .., .., "BLEU": .., "chrF":
// .., ..}}; an undefined metric is null.
std::string to_json(const LogScore& score, std::span<const Instance> instances);

}  // namespace surtitle
