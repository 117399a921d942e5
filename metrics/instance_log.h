// Logs of simultaneous translation, one JSON object a line: SimulEval's instances.log, and lines
// that give delays and lengths only.
//
// Keys that are read, all others are ignored:
//   delays            [g(1) .. g(I)], numbers that never decrease; may be empty
//   source_length     J, in the delays' unit; without it, the number of words of `source`
//   index             whole number; without it, the line's place in the file from 0
//   reference_length  R; without it, the number of pieces of `reference` between single spaces, as
//   SimulEval
//                     counts. null or neither of the two: there is no reference. (SimulEval's own
//                     re-scoring takes a missing `reference` for an empty one of length 1.)
//   reference, prediction, source, elapsed, prediction_length
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
  std::vector<double> elapsed;  // SimulEval's; zeros for text, may be empty
};

// Number of pieces between single spaces: two spaces in a row enclose an empty one, and an empty
// text is one.
int count_pieces(std::string_view text) noexcept;

LatencyScores latency(const Instance& instance);

// Blank lines are skipped. Throws std::runtime_error, "NAME:LINE: what is wrong".
std::vector<Instance> read_instances(std::istream& in, const std::string& name);

// Throws also where the file cannot be read, naming it.
std::vector<Instance> read_instances(const std::filesystem::path& file);

// The instance as a line of instances.log (fields of a text-to-text run, in SimulEval's order), no
// newline.
std::string to_instance_log_line(const Instance& instance);

}  // namespace surtitle
