// The scores of a log of translations, and how they are shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/instance_log.h"
#include "metrics/latency.h"

namespace surtitle {

struct LogScore {
  std::vector<LatencyScores> latencies;  // one for each instance
  LatencyScores mean;
  std::size_t empty = 0;  // instances without any delay: they have no latency
  // Over the instances that have both a prediction and a reference; nothing where none has.
  std::size_t with_texts = 0;
  std::optional<BleuScore> bleu;
  std::optional<double> chrf;
};

LogScore score_log(std::span<const Instance> instances);

// For people: the means, how lengths were counted, signatures.
std::string to_table(const LogScore& score);

// {"instances": [{"index": .., "AL": .., ..}, ..], "summary": {"AL": .., .., "BLEU": .., "chrF":
// .., ..}}; null where a metric is undefined.
std::string to_json(const LogScore& score, std::span<const Instance> instances);

}  // namespace surtitle
