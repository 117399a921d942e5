// Logs of SimulStream (FBK), one JSON object a line, and what they say about whole recordings.
//
//   {"id", "metadata": {"wav_name"}}      a recording begins
//   {"id", "total_audio_processed", "computation_time", "generated_tokens", "deleted_tokens"}
//     Tokens are added after those at the end are deleted. Times are seconds. A word has the time
//     of the line that changed it last.
//
// Thread-safety: all functions may be called from any thread, each stream by one.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/segmenter.h"

namespace surtitle {

// How tokens become text.
enum class TokenJoin {
  kWords,   // with a space between them
  kPieces,  // sentencepiece's: U+2581 is a space
};

// Returns whether a line is of such a log.
bool is_simulstream_line(std::string_view line);

struct SimulStreamRecording {
  RecordedTranslation translation;
  double source_length = 0;  // ms of sound
};

// Returns the recordings in the order of their first tokens. `join`: nullopt: pieces if any token
// has U+2581. Throws std::runtime_error, "NAME:LINE: what is wrong".
std::vector<SimulStreamRecording> read_simulstream_log(std::istream& in, const std::string& name,
                                                       std::optional<TokenJoin> join = {});

// Returns the lines of a log with these recordings, with words as tokens. The translations have
// elapsed times.
std::string to_simulstream_log(std::span<const RecordedTranslation> translations);

}  // namespace surtitle
