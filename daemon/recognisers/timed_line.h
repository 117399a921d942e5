// Parses a line of the format jsonl, which is also that of logs of timed words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// {"text": "Guten Morgen", "time": 1.25} has words that will not change. {"text": "Guten Mor",
// "final": false} has a hypothesis: the recogniser's whole text since its last final one.
struct TimedLine {
  std::string text;
  std::optional<double> time;  // seconds on the source's own clock, 0 or more
  std::optional<bool> final;   // only of a hypothesis
};

// Parses a line; unknown fields are ignored, and json_repair.h lists the deviations that are
// accepted. Throws std::runtime_error: "what is wrong; what is allowed".
TimedLine parse_timed_line(std::string_view line);

// Parses the objects of a line, of which there may be several, as in an array. What precedes and
// follows them is ignored: brackets, a time, "data:". Throws like parse_timed_line(). REQUIRES: the
// line has a brace.
std::vector<TimedLine> parse_logged_objects(std::string_view line);

}  // namespace surtitle
