// Two runs of the same talk held against each other: the same words, and at the same words of the
// source?
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "daemon/replay/recorded_run.h"

namespace surtitle {

// A sentence in which two runs are not alike.
struct SentenceDifference {
  std::size_t sentence = 0;  // from 0
  bool source = false;       // other words were said
  bool words = false;        // other words were written
  bool actions = false;      // the same words, at other words of the source
  RecordedSentence a = {};
  RecordedSentence b = {};
};

struct RunComparison {
  const RecordedRun* a = nullptr;
  const RecordedRun* b = nullptr;
  std::size_t sentences = 0;
  std::vector<SentenceDifference> differences = {};  // in order

  std::size_t count(bool SentenceDifference::*kind) const;
  // The words that were written are; nothing is said of when.
  bool same_words() const { return count(&SentenceDifference::words) == 0; }
};

// Both must outlive the comparison. Where one lacks the delays, actions are not compared.
RunComparison compare(const RecordedRun& a, const RecordedRun& b);

// For people: the verdict, the first differences, and both runs' latency.
std::string to_table(const RunComparison& comparison);
// {"a":{..},"b":{..},"sentences":..,"same_words":..,"differences":[..]}
std::string to_json(const RunComparison& comparison);

// Latency, write delays and quality of each run, a line each.
std::string to_table(std::span<const RecordedRun> runs);
// {"name":..,"model":..,"policy":..,"sentences":..,"al":..,..,"delay_ms":{..}}, and "bleu" or
// "agreement" where the run was judged
std::string to_json(const RecordedRun& run);

}  // namespace surtitle
