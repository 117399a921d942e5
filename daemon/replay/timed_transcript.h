// A talk as words with times, which can be replayed at any speed.
//
// Text that is not UTF-8 is read as valid_text() of daemon/recognisers/text_decoder.h says.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct TimedText {
  double time = 0;  // when to send the text: seconds after the log's first text
  std::string text;
  int words = 0;               // number of words in the text; 0: only the sentence ends
  bool ends_sentence = false;  // the sentence ends after the text, with or without punctuation
  double clock = 0;            // the time to send with it: seconds on the source's own clock
  std::vector<protocol::Configure> changes = {};  // sent before the text
};

struct TimedTranscript {
  std::vector<TimedText> texts;  // at least one; times never decrease
  // Seconds of one pass if the log is repeated: the time of the last text plus the mean pause
  // between texts. Above 0.
  double length = 0;
  int words = 0;
  // Words of each sentence, if the log defines its sentences.
  std::vector<int> sentences = {};
};

// Makes the transcript of these texts. Their times may start at any value. `rate`: words per
// second, for the length if all texts have the same time. REQUIRES: at least one text has words.
TimedTranscript make_timed_transcript(std::vector<TimedText> texts, double rate);

// Returns the words of the lines at `rate` words per second. The last word of a line ends the
// sentence.
std::vector<TimedText> spoken_at(const std::vector<std::string>& lines, double rate);

// Parses lines of {"time": seconds, "text": "..."}. `name`: name of the log in messages. Throws
// std::runtime_error: "NAME:LINE: what is wrong; what is allowed".
TimedTranscript parse_timed_words(std::string_view content, const std::string& name, double rate);

// Parses plain text, at `rate` words per second. A blank line ends the sentence. Throws as
// parse_timed_words() does.
TimedTranscript parse_plain_words(std::string_view content, const std::string& name, double rate);

// Parses a file of subtitles, SRT or WebVTT. Throws as parse_timed_words() does.
TimedTranscript parse_subtitles(std::string_view content, const std::string& name, double rate);

// Returns a file's text in UTF-8 (daemon/recognisers/text_decoder.h); "-" is standard input. Throws
// std::runtime_error that names the file.
std::string read_log_file(const std::filesystem::path& file);
// Returns the name of a file in messages.
std::string log_name(const std::filesystem::path& file);

}  // namespace surtitle
