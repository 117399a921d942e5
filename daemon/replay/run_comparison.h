// Compares two runs of a talk: their words, and the source words read before each of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "daemon/replay/recorded_run.h"

namespace surtitle {

// A sentence in which two runs differ.
struct SentenceDifference {
  std::size_t sentence = 0;  // from 0
  bool source = false;       // the source words differ
  bool words = false;        // the target words differ
  bool actions = false;      // the same target words were written after different source words
  RecordedSentence a = {};
  RecordedSentence b = {};
};

struct RunComparison {
  const RecordedRun* a = nullptr;
  const RecordedRun* b = nullptr;
  std::size_t sentences = 0;
  std::vector<SentenceDifference> differences = {};  // in order

  std::size_t count(bool SentenceDifference::*kind) const;
  // Returns whether all target words are the same, maybe after different source words.
  bool same_words() const { return count(&SentenceDifference::words) == 0; }
};

// Compares two runs. If one lacks delays, actions are not compared. REQUIRES: both runs outlive the
// comparison.
RunComparison compare(const RecordedRun& a, const RecordedRun& b);

// Returns the verdict, the first differences, and the latency of both runs, as text.
std::string to_table(const RunComparison& comparison);
// {"a":{..},"b":{..},"sentences":..,"same_words":..,"differences":[..]}
std::string to_json(const RunComparison& comparison);

// Returns latency, write delays and quality of the runs, one line each.
std::string to_table(std::span<const RecordedRun> runs);
// {"name":..,"model":..,"policy":..,"sentences":..,"al":..,..,"delay_ms":{..}}, and "bleu" or
// "agreement" if the run has a quality
std::string to_json(const RecordedRun& run);

}  // namespace surtitle
