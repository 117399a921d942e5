// Parses a line of the format jsonl, which logs of timed words use, too.
//
// Thread-safety: all functions may be called from any thread.
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

// Parses a line. Unknown fields are ignored, and base/json_repair.h lists the deviations that are
// accepted. Throws std::runtime_error: "what is wrong; what is allowed".
TimedLine parse_timed_line(std::string_view line);

// Parses the objects of a line, such as those of an array. Text before and after them is ignored:
// brackets, a time, "data:". Throws like parse_timed_line(). REQUIRES: the line has a brace.
std::vector<TimedLine> parse_logged_objects(std::string_view line);

}  // namespace surtitle
