// Logs of simultaneous translation, one JSON object a line.
//
// Thread-safety: all functions may be called from any thread, each stream by one.
//
// Both SimulEval's instances.log and lines with only delays and lengths are read. Keys, all others
// are ignored:
//   delays            [g(1) .. g(I)], numbers that never decrease; may be empty
//   source_length     J, in the delays' unit; by default the number of words of `source`
//   index             whole number; by default the line's place in the file from 0
//   reference_length  R; by default the number of pieces of `reference` between single spaces, as
//                     SimulEval counts. There is no reference if it is null or both are missing.
//                     (SimulEval's own re-scoring replaces a missing `reference` by an empty one of
//                     length 1.)
//   elapsed           for each delay, the time at which the unit really appeared. Zeros, as
//                     SimulEval's for text, count as missing.
//   recording         the name of a whole recording. `source` has it if it is an array.
//   reference, prediction, source, prediction_length
// OmniSTEval's instances.resegmented.jsonl has other keys for times, in ms from the begin of the
// sentence, which may be negative:
//   emission_cu, emission_ca, time_to_recording_end    delays, elapsed, and the recording's end
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/latency.h"

namespace surtitle {

struct Instance {
  std::int64_t index = 0;
  std::vector<double> delays;
  double source_length = 0;
  std::optional<int> reference_length;
  std::optional<std::string> prediction;
  std::optional<std::string> reference;
  std::optional<std::string> source;
  std::optional<std::string> recording;  // of a log of whole recordings
  std::optional<double> recording_end;   // counted from the sentence's begin
  std::vector<double> elapsed;           // SimulEval's; zeros for text; may be empty
};

// Counts pieces between single spaces. Two spaces in a row enclose an empty piece; an empty text is
// one piece.
int count_pieces(std::string_view text) noexcept;

// Returns the scores. A sentence of a recording has no ATD, which is over text.
LatencyScores latency(const Instance& instance);
// Returns the scores with `elapsed` in place of the delays, or none of them if it is missing.
LatencyScores computation_aware_latency(const Instance& instance);

// Skips blank lines. Throws std::runtime_error, "NAME:LINE: what is wrong".
std::vector<Instance> read_instances(std::istream& in, const std::string& name);

// Throws also if the file cannot be read, naming it.
std::vector<Instance> read_instances(const std::filesystem::path& file);

// Returns the instance as a line of instances.log without a newline: the fields of a text-to-text
// run in SimulEval's order.
std::string to_instance_log_line(const Instance& instance);

}  // namespace surtitle
