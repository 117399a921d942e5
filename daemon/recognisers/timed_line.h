// One line of a recogniser's output or of a log of timed words: a JSON object.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

// {"text": "Guten Morgen", "time": 1.25} are words that will not change; {"text": "Guten Mor",
// "final": false} is a hypothesis, the recogniser's whole text since its last final one.
struct LoggedLine {
  std::string text;
  std::optional<double> time;  // seconds on the source's own clock, 0 or more
  std::optional<bool> final;   // given for a hypothesis
};

// Other fields are ignored. Throws std::runtime_error: "WHERE: what is wrong; what is allowed".
LoggedLine parse_logged_line(std::string_view line, const std::string& where);

}  // namespace surtitle
