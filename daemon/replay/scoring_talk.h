// A run on the clock of its speaker: latency in milliseconds, and the files for other programs.
//
// A source word is known at the time at which it was said, and lasts from the word before it, but
// no longer than `word_ms`. The delay of a target word is the time of the last source word that was
// read for it. Its elapsed time is when it was written.
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

// Returns the run as one recording, or nullopt if it has no times. `words`: source words of each
// segment of the references; by default, the sentences of the run are the segments. `references`:
// empty, or one for each segment. REQUIRES: the segments have as many words as the run.
std::optional<ScoringTalk> scoring_talk(const RecordedRun& run, const std::string& name,
                                        double word_ms, std::span<const std::string> references,
                                        std::span<const int> words = {});

// Means over the sentences of a run, in milliseconds.
struct TimeScores {
  LatencyScores ideal;
  // Of the computation; nullopt if no word was written later than its delay.
  std::optional<LatencyScores> aware;
};

// Returns nullopt if the run has no times.
std::optional<TimeScores> time_scores(const RecordedRun& run, double word_ms = kWordMs);

// Returns the scores as text, or "" if the run has no times.
std::string time_table(const RecordedRun& run);
// {"al": .., "laal": .., "dal": .., "yaal": .., "long_yaal": .., "al_ca": .., ..}
std::string to_json(const TimeScores& scores);

}  // namespace surtitle
