// A recogniser's recorded output as a talk: its words with the times at which they were committed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/replay/timed_transcript.h"

namespace surtitle {

// Returns whether the content begins like the output of a recogniser.
bool is_recognised(std::string_view content);

// Reads the output as `surtitle pipe` does. A word of a hypothesis has the time of the hypothesis
// that commits it; words without a time follow at `rate` words per second. Appends notices to
// `warnings`. Throws std::runtime_error: "NAME:LINE: what is wrong; what is allowed".
TimedTranscript parse_recognised(std::string_view content, const std::string& name, double rate,
                                 std::vector<std::string>& warnings);

}  // namespace surtitle
