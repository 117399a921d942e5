// A talk as it was said: words with times, to be said again at any speed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct TimedText {
  double time = 0;  // seconds after the log's first text
  std::string text;
  int words = 0;               // in it, at least 1
  bool ends_sentence = false;  // a blank line comes after it
};

struct TimedLog {
  std::vector<TimedText> texts;  // at least one; times never decrease
  double first_time = 0;         // of the first text on the log's own clock, seconds
  // Seconds from one beginning to the next where the log is said again and again: the last text's
  // time and the mean pause between texts. Above 0.
  double length = 0;
  int words = 0;
};

// Reads JSON lines {"time": seconds, "text": "..."} where the first character is {, else plain text
// whose words come `rate` a second and in which a blank line ends the sentence. `name` stands for
// the log in messages. Throws std::runtime_error: "NAME:LINE: what is wrong; what is allowed".
TimedLog parse_timed_log(std::string_view content, const std::string& name, double rate);

// The same for a file; "-" is standard input.
TimedLog read_timed_log(const std::filesystem::path& file, double rate);

}  // namespace surtitle
