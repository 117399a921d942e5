// The source, translation and times of one run of a talk, from a log or a replay.
//
// Times are milliseconds since the run began.
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
  std::vector<double> source_times;   // arrival of each source word; empty: unknown
  std::vector<double> delays;         // source words read when each target word was written
  std::vector<double> written;        // time of each target word; empty: unknown
  std::vector<double> due = {};       // the same if translation took no time; empty: unknown
  std::vector<float> delays_ms = {};  // from the cause to each write; empty: unknown
  std::optional<std::string> reference = {};

  int source_words() const;
};

// The quality of a run's translation.
struct RunQuality {
  std::string name;  // "BLEU", "agreement"
  double value = 0;
};

struct RecordedRun {
  std::string name;         // "talk.jsonl", "now"
  std::string model = {};   // empty: unknown
  std::string policy = {};  // a spec; empty: unknown
  std::vector<RecordedSentence> sentences = {};
  std::optional<RunQuality> quality = {};
  int terms = 0;          // of a glossary, in the source
  int written_terms = 0;  // that the translation has

  std::vector<float> delays_ms() const;  // of all writes, sorted
};

// Computes latency over words. If there is a reference, AL and AP use its length, as in SimulEval.
// The scores of a run are the means over its sentences.
LatencyScores word_scores(const RecordedSentence& sentence);
LatencyScores word_scores(const RecordedRun& run);

// Joins consecutive sentences to one.
RecordedSentence join(std::span<const RecordedSentence> sentences);

// Aligns several runs by their source. A row has one sentence for each run, all with the same
// number of source words. Sentences of runs that end at different words are joined. If the runs
// differ in their number of words, the last row has the rest.
using RunRow = std::vector<RecordedSentence>;  // by run
std::vector<RunRow> align(std::span<const RecordedRun* const> runs);

// Joins sentences so that sentence i has words[i] source words. A count of 0 gives an empty
// sentence. Leaves the run unchanged if that is impossible.
void join_to(RecordedRun& run, std::span<const int> words);

// Sets the reference of each sentence if there are as many references as sentences.
void set_references(RecordedRun& run, std::span<const std::string> references);

// Returns the instances of SimulEval's log. They have references if there is one for each sentence.
std::vector<Instance> to_instances(const RecordedRun& run, std::span<const std::string> references);

}  // namespace surtitle
