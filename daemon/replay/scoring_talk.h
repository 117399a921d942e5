// A run on the clock of its speaker: latency in milliseconds, and the files for other programs.
//
// A source word ends at the time of its arrival. It lasts from the word before it, but no longer
// than `word_ms`. Words that arrive together share this time. The delay of a target word is the
// time of the source word, or of the end of the sentence, that its write needed. Its elapsed time
// is when it was written.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daemon/evaluation/long_form.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/translation/words_of_speech.h"

namespace surtitle {

// Returns the run as one recording. `words`: source words of each segment of the references; by
// default, the sentences of the run are the segments. Returns nullopt if the run has no times, if
// the segments do not have as many words as the run, or if a segment has no reference.
std::optional<ScoringTalk> scoring_talk(const RecordedRun& run, const std::string& name,
                                        double word_ms, std::span<const std::string> references,
                                        std::span<const int> words = {});

// Means over the sentences of a run, in milliseconds.
struct TimeScores {
  LatencyScores ideal;
  // Computation aware; nullopt if no word was written later than it was due.
  std::optional<LatencyScores> aware;
};

// Returns nullopt if the run has no times.
std::optional<TimeScores> time_scores(const RecordedRun& run, double word_ms = kWordMs);

// Returns the scores as text, or "" if the run has no times.
std::string time_table(const RecordedRun& run);
// {"al": .., "laal": .., "dal": .., "yaal": .., "long_yaal": .., "al_ca": .., ..}
std::string to_json(const TimeScores& scores);

}  // namespace surtitle
