// What a run of a talk said and wrote: a stream's log, SimulEval's, or a replay that has just been.
//
// Times are milliseconds since the run's begin.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/instance_log.h"
#include "metrics/latency.h"

namespace surtitle {

struct RecordedSentence {
  std::string source;
  std::string target;
  std::vector<double> said;           // time of each source word; empty where nobody knows
  std::vector<double> delays;         // source words read when each target word was written
  std::vector<double> written;        // time of each target word; empty where nobody knows
  std::vector<float> delays_ms = {};  // from its cause to each write; empty where nobody knows

  int source_words() const;
};

// How good a run's translation is, by what it was held against.
struct RunQuality {
  std::string name;  // "BLEU", "agreement"
  double value = 0;
};

struct RecordedRun {
  std::string name;         // "talk.jsonl", "now"
  std::string model = {};   // empty where nobody knows
  std::string policy = {};  // likewise; a spec
  std::vector<RecordedSentence> sentences = {};
  std::optional<RunQuality> quality = {};

  std::vector<float> delays_ms() const;  // of all writes, sorted
};

// Over words; where there is a reference, AL and AP are to its length, as in SimulEval.
LatencyScores word_scores(const RecordedSentence& sentence,
                          const std::optional<std::string>& reference = {});
LatencyScores word_scores(const RecordedRun& run);

// Sentences said one after the other, as one.
RecordedSentence join(std::span<const RecordedSentence> sentences);

// The same stretches of source of several runs: a row has a sentence for each run, and as many
// source words in all of them. Runs that end sentences at different words have these joined.
// Where runs have another number of words, the last row has what is left.
using RunRow = std::vector<RecordedSentence>;  // by run
std::vector<RunRow> align(std::span<const RecordedRun* const> runs);

// Sentences joined so that each has as many words as `words` says; as they are where that cannot
// be. A sentence of no words is empty.
void join_to(RecordedRun& run, std::span<const int> words);

// For SimulEval's log; with references where there is one for each sentence.
std::vector<Instance> to_instances(const RecordedRun& run, std::span<const std::string> references);

}  // namespace surtitle
