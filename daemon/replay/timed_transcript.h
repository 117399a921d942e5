// A talk as it was said: words with times, to be said again at any speed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct TimedText {
  double time = 0;  // seconds after the log's first text
  std::string text;
  int words = 0;               // in it; 0: nothing is said, only the sentence ends
  bool ends_sentence = false;  // with it, whatever its words are
  double clock = 0;            // seconds on the source's own clock
  std::vector<protocol::Configure> changes = {};  // before it is said
};

struct TimedTranscript {
  std::vector<TimedText> texts;  // at least one; times never decrease
  // Seconds from one beginning to the next where the log is said again and again: the last text's
  // time and the mean pause between texts. Above 0.
  double length = 0;
  int words = 0;
  // Words of each sentence, where the log says what its sentences are.
  std::vector<int> sentences = {};
};

// The log of these texts, whose times and clocks are those of the log they come from. REQUIRES: at
// least one with words.
TimedTranscript make_timed_transcript(std::vector<TimedText> texts, double rate);

// Words that come `rate` a second, the last of each line with the sentence's end.
std::vector<TimedText> spoken_at(const std::vector<std::string>& lines, double rate);

// Lines of {"time": seconds, "text": "..."}. `name` stands for the log in messages. Throws
// std::runtime_error: "NAME:LINE: what is wrong; what is allowed".
TimedTranscript parse_timed_words(std::string_view content, const std::string& name, double rate);

// Plain text whose words come `rate` a second and in which a blank line ends the sentence. Throws
// likewise.
TimedTranscript parse_plain_words(std::string_view content, const std::string& name, double rate);

// A file's text; "-" is standard input. Throws std::runtime_error that names it.
std::string read_log_file(const std::filesystem::path& file);
// What a file is called in messages.
std::string log_name(const std::filesystem::path& file);

}  // namespace surtitle
