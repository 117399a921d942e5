#include "daemon/replay/timed_transcript.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/speech_filter.h"
#include "daemon/recognisers/subtitle_cues.h"
#include "daemon/recognisers/text_decoder.h"
#include "daemon/recognisers/timed_line.h"
#include "daemon/recognisers/word_splitter.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

TimedText parse_line(std::string_view line, const std::string& where) {
  TimedLine logged;
  try {
    logged = parse_timed_line(line);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(where + ": " + error.what());
  }
  if (!logged.time) {
    throw std::runtime_error(where +
                             ": field time is missing; expected an object such as "
                             "{\"time\": 1.25, \"text\": \"Guten\"}");
  }
  if (logged.final) {
    throw std::runtime_error(where +
                             ": hypotheses (field final) cannot be replayed; allowed: words that "
                             "do not change");
  }
  TimedText timed;
  timed.time = *logged.time;
  timed.clock = timed.time;
  timed.text = std::move(logged.text);
  timed.words = static_cast<int>(split_words(timed.text).size());
  return timed;
}

std::vector<TimedText> parse_json_lines(std::string_view content, const std::string& name) {
  std::vector<TimedText> texts;
  for (int number = 1; !content.empty(); ++number) {
    const std::string where = name + ":" + std::to_string(number);
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    TimedText timed = parse_line(line, where);
    if (!texts.empty() && timed.time < texts.back().time) {
      throw std::runtime_error(where + ": time " + std::to_string(timed.time) +
                               " is earlier than on the line before; times must not decrease");
    }
    if (timed.words > 0) {
      texts.push_back(std::move(timed));
    }
  }
  return texts;
}

std::vector<TimedText> parse_plain_text(std::string_view content, double rate) {
  std::vector<std::string> words;
  WordSplitter splitter;
  splitter.feed(shown_text(content), words);
  splitter.finish(words);
  std::vector<TimedText> texts;
  for (std::string& word : words) {
    if (word.empty()) {
      texts.back().ends_sentence = true;
    } else {
      const double time = static_cast<double>(texts.size()) / rate;
      texts.push_back({time, std::move(word), 1, false, time});
    }
  }
  return texts;
}

// Returns the words of a cue, spread evenly over its time.
void append_cue(const SubtitleCue& cue, std::vector<TimedText>& texts) {
  const Speech speech = speech_of(join_words(cue.lines), SpeechRule());
  if (speech.begins_sentence && !texts.empty()) {
    texts.back().ends_sentence = true;
  }
  const std::vector<std::string_view> words = split_words(speech.text);
  const double length =
      (cue.end - cue.begin) / static_cast<double>(std::max<std::size_t>(words.size(), 1));
  double time = cue.begin;
  for (const std::string_view word : words) {
    time += length;
    const double last = texts.empty() ? 0 : texts.back().time;
    texts.push_back({std::max(time, last), std::string(word), 1, false, std::max(time, last)});
  }
}

// Returns the texts without marks, hesitations and labels of speakers, which may extend over
// several texts.
std::vector<TimedText> speech_in(std::vector<TimedText> texts) {
  SpeechFilter filter{SpeechRule()};
  std::vector<SourceWord> kept;  // the time of a word is the index of its text
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const std::string_view word : split_words(texts[i].text)) {
      filter.add({std::string(word), static_cast<double>(i)}, kept);
    }
    if (texts[i].ends_sentence) {
      filter.add({}, kept);
    }
    texts[i].text.clear();
    texts[i].words = 0;
    texts[i].ends_sentence = false;
  }
  filter.decide(/*at_end=*/true, kept);
  TimedText* last = nullptr;
  for (const SourceWord& word : kept) {
    if (!word.text.empty()) {
      last = &texts[static_cast<std::size_t>(*word.time)];
      const bool ended = std::exchange(last->ends_sentence, false);  // within the text
      last->text += last->words == 0 ? "" : ended && !ends_with_stop(last->text) ? ". " : " ";
      last->text += word.text;
      ++last->words;
    } else if (last != nullptr) {
      last->ends_sentence = true;
    }
  }
  std::erase_if(texts, [](const TimedText& timed) { return timed.words == 0; });
  return texts;
}

TimedTranscript checked_log(std::vector<TimedText> texts, const std::string& name, double rate) {
  if (texts.empty()) {
    throw std::runtime_error(name + ": the log has no words");
  }
  return make_timed_transcript(std::move(texts), rate);
}

}  // namespace

std::vector<TimedText> spoken_at(const std::vector<std::string>& lines, double rate) {
  std::vector<TimedText> texts;
  for (const std::string& line : lines) {
    const std::vector<std::string_view> words = split_words(line);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double time = static_cast<double>(texts.size()) / rate;
      texts.push_back({time, std::string(words[i]), 1, i + 1 == words.size(), time});
    }
  }
  return texts;
}

TimedTranscript make_timed_transcript(std::vector<TimedText> texts, double rate) {
  TimedTranscript log;
  log.texts = std::move(texts);
  const double first = log.texts.front().time;
  for (TimedText& timed : log.texts) {
    timed.time -= first;
    log.words += timed.words;
  }
  const double last = log.texts.back().time;
  log.length = last > 0 ? last + last / static_cast<double>(log.texts.size() - 1)
                        : static_cast<double>(log.words) / rate;
  return log;
}

TimedTranscript parse_timed_words(std::string_view content, const std::string& name, double rate) {
  return checked_log(speech_in(parse_json_lines(valid_text(content), name)), name, rate);
}

TimedTranscript parse_plain_words(std::string_view content, const std::string& name, double rate) {
  return checked_log(speech_in(parse_plain_text(valid_text(content), rate)), name, rate);
}

TimedTranscript parse_subtitles(std::string_view content, const std::string& name, double rate) {
  const std::string text = valid_text(content);
  std::string_view rest = text;
  SubtitleReader reader;
  std::vector<TimedText> texts;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    if (const auto cue = reader.add(rest.substr(0, end))) {
      append_cue(*cue, texts);
    }
    rest.remove_prefix(end);
    const std::size_t after = rest.find_first_not_of('\r');
    const bool is_newline = after < rest.size() && rest[after] == '\n';
    rest.remove_prefix(is_newline ? after + 1 : std::min<std::size_t>(1, rest.size()));
  }
  if (const auto cue = reader.finish()) {
    append_cue(*cue, texts);
  }
  return checked_log(std::move(texts), name, rate);
}

std::string log_name(const std::filesystem::path& file) {
  return file == "-" ? "standard input" : file.string();
}

std::string read_log_file(const std::filesystem::path& file) {
  if (file == "-") {
    return decode_text(std::string(std::istreambuf_iterator<char>(std::cin), {}), log_name(file));
  }
  if (std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": is a folder, not a log");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::runtime_error(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  return decode_text(std::string(std::istreambuf_iterator<char>(in), {}), log_name(file));
}

}  // namespace surtitle
