#include "daemon/channels/transcript_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/channels/transcript_html.h"
#include "model/text/unspaced.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr int kLineColumns = 42;
constexpr std::size_t kLines = 2;
constexpr double kMinCue = 0.5;              // seconds
constexpr double kMaxCue = 8;                // seconds
constexpr double kMinReading = 1;            // seconds, if there is time
constexpr double kReadingSpeed = 15;         // columns a second
constexpr double kLatest = 359'999'999.999;  // 99999:59:59.999, in seconds
constexpr double kMaxSilence = 1.5;          // seconds that a cue stays after its last word

struct FormatRow {
  TranscriptFormat format;
  std::string_view extension;
  std::string_view type;
};
constexpr std::array<FormatRow, 5> kFormats{{
    {TranscriptFormat::kWebVtt, "vtt", "text/vtt; charset=utf-8"},
    {TranscriptFormat::kSrt, "srt", "application/x-subrip; charset=utf-8"},
    {TranscriptFormat::kText, "txt", "text/plain; charset=utf-8"},
    {TranscriptFormat::kJson, "json", "application/json"},
    {TranscriptFormat::kHtml, "html", "text/html; charset=utf-8"},
}};

// A target word and the time of the source that it needed, in seconds.
struct TimedWord {
  std::string text;
  double time = 0;
  bool spaced = true;  // a space is before it
};

// Splits the writes into words. The time of a word is that of the write that began it.
std::vector<TimedWord> words_of(const Rendering& rendering, double sentence_begin) {
  std::vector<TimedWord> words;
  double time = sentence_begin;
  WordScanner scanner;
  bool spaced = false;
  for (const protocol::Write& write : rendering.writes) {
    time = write.source_time.value_or(time);
    for (std::string_view text = write.text; !text.empty();) {
      const auto length = static_cast<std::size_t>(std::max(first_character_length(text), 1));
      const std::string_view character = text.substr(0, length);
      text.remove_prefix(length);
      if (scanner.next(code_point(character))) {
        words.push_back({"", time, spaced});
      }
      spaced = is_white_space(code_point(character));
      words.back().text += spaced ? "" : character;
    }
  }
  return words;
}

// Lines have at most kLineColumns, except for a single longer word. `spaced`: after a space.
void add_word(std::string_view word, bool spaced, std::vector<std::string>& lines) {
  const std::string space = spaced ? " " : "";
  if (lines.empty() || display_width(lines.back() + space) + display_width(word) > kLineColumns) {
    lines.emplace_back(word);
  } else {
    lines.back().append(space).append(word);
  }
}

std::vector<std::string> wrapped(std::string_view text) {
  std::vector<std::string> lines;
  const char* end = text.data();  // of the word before
  for (const std::string_view word : split_words(text)) {
    add_word(word, word.data() != end, lines);
    end = word.data() + word.size();
  }
  return lines;
}

int width_of(const std::vector<std::string>& lines) {
  int width = 0;
  for (const std::string& line : lines) {
    width += display_width(line);
  }
  return width;
}

// A sentence as cues show it: its words, or all lines of a bilingual cue with the times of its
// first and its last word.
struct ShownSentence {
  std::vector<TimedWord> words;
  std::vector<std::string> lines = {};  // of a bilingual cue
  const protocol::Heading* heading = nullptr;
};

// Finds the sentences at which the heading changes. A stream without one has no first heading.
class HeadingChanges {
 public:
  // Returns the heading that begins with this sentence, or nullptr if it has not changed.
  const protocol::Heading* at(const TranscriptSentence& sentence) {
    if (!sentence.heading || *sentence.heading == last_) {
      return nullptr;
    }
    last_ = *sentence.heading;
    return sentence.heading.get();
  }

 private:
  protocol::Heading last_;
};

ShownSentence both_languages(const TranscriptSentence& sentence, const Rendering& rendering) {
  ShownSentence shown{{{"", sentence.begin()}, {"", sentence.end()}},
                      wrapped(sentence.source_text())};
  for (std::string& line : wrapped(rendering.text())) {
    shown.lines.push_back(std::move(line));
  }
  return shown;
}

// Returns the positions of the longest selection of times that ascends.
std::vector<std::size_t> longest_ascent(const std::vector<TimedWord*>& words) {
  std::vector<std::size_t> ends;  // for each length, the end of the selection that ends earliest
  std::vector<std::size_t> before(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto length =
        std::upper_bound(ends.begin(), ends.end(), words[i]->time,
                         [&](double time, std::size_t end) { return time < words[end]->time; });
    before[i] = length == ends.begin() ? i : *std::prev(length);
    const auto at = static_cast<std::size_t>(length - ends.begin());
    ends.resize(std::max(ends.size(), at + 1));
    ends[at] = i;
  }
  for (std::size_t i = ends.size(); i-- > 1;) {
    ends[i - 1] = before[ends[i]];
  }
  return ends;
}

// Makes the times of all words ascend. Changes as few of them as possible.
void straighten(std::vector<ShownSentence>& sentences) {
  std::vector<TimedWord*> words;
  for (ShownSentence& sentence : sentences) {
    for (TimedWord& word : sentence.words) {
      words.push_back(&word);
    }
  }
  const std::vector<std::size_t> kept = longest_ascent(words);
  std::size_t next = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (next < kept.size() && kept[next] == i) {
      ++next;
    } else {
      words[i]->time = words[kept[next > 0 ? next - 1 : 0]]->time;
    }
  }
}

// A cue is filled with words until its lines or its time are full.
void add_cues_of(const ShownSentence& sentence, std::vector<Cue>& cues) {
  if (!sentence.lines.empty()) {
    cues.push_back({sentence.words.front().time, sentence.words.back().time, sentence.lines,
                    sentence.heading});
    return;
  }
  bool fresh = true;
  for (const TimedWord& word : sentence.words) {
    if (!fresh && word.time <= cues.back().begin + kMaxCue - kMinCue) {
      Cue& cue = cues.back();
      std::vector<std::string> lines = cue.lines;
      add_word(word.text, word.spaced, lines);
      if (lines.size() <= kLines) {
        cue.lines = std::move(lines);
        cue.end = word.time;
        continue;
      }
    }
    cues.push_back({word.time, word.time, {word.text}, fresh ? sentence.heading : nullptr});
    fresh = false;
  }
}

// Sets the times of each cue. REQUIRES: `begin` and `end` are those of its first and its last word,
// and ascend.
void set_times(std::vector<Cue>& cues) {
  double free_from = 0;
  for (Cue& cue : cues) {
    const double begin = std::clamp(cue.begin, 0.0, kLatest - kMaxCue);
    cue.begin = std::max(std::round(begin * 1000) / 1000, free_from);
    free_from = cue.begin + kMinCue;
  }
  for (std::size_t i = 0; i < cues.size(); ++i) {
    Cue& cue = cues[i];
    const double reading = std::max(kMinReading, width_of(cue.lines) / kReadingSpeed);
    cue.end = std::min(std::max(cue.begin + reading, cue.end + kMaxSilence), cue.begin + kMaxCue);
    if (i + 1 < cues.size()) {
      cue.end = std::min(cue.end, cues[i + 1].begin);
    }
  }
}

std::string clock_text(double seconds, char point) {
  const long long milliseconds = std::llround(std::clamp(seconds, 0.0, kLatest) * 1000);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld%c%03lld", milliseconds / 3'600'000,
                milliseconds / 60'000 % 60, milliseconds / 1000 % 60, point, milliseconds % 1000);
  return text.data();
}

// SRT has no escapes. An invisible word joiner (U+2060) keeps programs from reading text as times,
// tags or positions.
std::string without_srt_markup(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins_markup = line[i] == '<' || line[i] == '{';
    const bool in_arrow = line.substr(i).starts_with("->");
    text += line[i];
    text += begins_markup || in_arrow ? "\u2060" : "";
  }
  return text;
}

// A comment of WebVTT must not contain "-->".
std::string without_arrows(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    text += line.substr(i).starts_with("->") ? "\u2060" : "";
  }
  return text;
}

// Returns "Title: ..." and "Speaker: ..." on a line each, without empty ones, or "Title: none" if
// both are empty.
template <class Escape>
std::string heading_lines(const protocol::Heading& heading, const Escape& escape) {
  std::string text;
  if (!heading.title.empty() || heading.speaker.empty()) {
    text += "Title: " + (heading.title.empty() ? "none" : escape(heading.title)) + "\n";
  }
  return heading.speaker.empty() ? text : text + "Speaker: " + escape(heading.speaker) + "\n";
}

// `number`: from 0.
std::string to_webvtt(const Cue& cue, std::size_t /*number*/) {
  std::string text;
  if (cue.heading != nullptr) text += "\nNOTE\n" + heading_lines(*cue.heading, without_arrows);
  text += "\n" + clock_text(cue.begin, '.') + " --> " + clock_text(cue.end, '.') + "\n";
  for (const std::string& line : cue.lines) {
    text += escape_html(line) + "\n";
  }
  return text;
}

std::string to_srt(const Cue& cue, std::size_t number) {
  std::string text = (number > 0 ? "\n" : "") + std::to_string(number + 1) + "\n" +
                     clock_text(cue.begin, ',') + " --> " + clock_text(cue.end, ',') + "\n";
  for (const std::string& line : cue.lines) {
    text += without_srt_markup(line) + "\n";
  }
  return text;
}

template <class Use>
void for_each_rendering(const Transcript& transcript, const std::string& track, const Use& use) {
  for (const TranscriptSentence& sentence : transcript.sentences()) {
    const auto rendering = sentence.renderings.find(track);
    if (rendering != sentence.renderings.end()) {
      use(sentence, rendering->second);
    }
  }
}

std::string to_text(const Transcript& transcript, const TranscriptChoice& choice) {
  std::string text;
  HeadingChanges headings;
  for_each_rendering(transcript, choice.track,
                     [&](const TranscriptSentence& sentence, const Rendering& rendering) {
                       const protocol::Heading* heading = headings.at(sentence);
                       if (heading != nullptr) {
                         text += (text.empty() ? "" : "\n") +
                                 heading_lines(*heading, [](const auto& line) { return line; });
                         text += choice.bilingual ? "" : "\n";
                       }
                       if (choice.bilingual) {
                         text += (text.empty() ? "" : "\n") + sentence.source_text() + "\n";
                       }
                       text += rendering.text() + "\n";
                     });
  return text;
}

// A time of a later stream, rounded to milliseconds.
double moved(double time, double offset) {
  return offset == 0 ? time : std::round((time + offset) * 1000) / 1000;
}

// `stream`: its name, if the file has several.
std::string to_json(const TranscriptSentence& sentence, const Rendering& rendering, bool bilingual,
                    const std::optional<std::string>& stream, double offset) {
  JsonWriter json;
  json.optional_field("stream", stream)
      .field("sentence", sentence.number)
      .field("begin", moved(sentence.begin(), offset))
      .field("end", moved(sentence.end(), offset));
  if (sentence.heading) {
    add_heading(json, *sentence.heading);
  }
  if (bilingual) {
    json.field("source", sentence.source_text());
  }
  return json.field("target", rendering.text())
      .field("complete", rendering.finished.has_value())
      .raw_field("words", json_array(words_of(rendering, sentence.begin()),
                                     [offset](const TimedWord& word) {
                                       return JsonWriter()
                                           .field("text", word.text)
                                           .field("source_time", moved(word.time, offset))
                                           .finish();
                                     }))
      .finish();
}

// Returns the calendar time at which the clock of the source was 0, in seconds since 1970.
double origin_of(const StreamDescription& stream, const Transcript& transcript) {
  const double started = static_cast<double>(milliseconds_since_1970(stream.started)) / 1000;
  for (const TranscriptSentence& sentence : transcript.sentences()) {
    for (const protocol::SourceMessage& words : sentence.source) {
      if (words.time) {
        return started + words.taken / 1000 - *words.time;
      }
    }
  }
  return started;
}

}  // namespace

std::optional<TranscriptFormat> transcript_format_by_extension(std::string_view extension) {
  const auto* row = std::find_if(kFormats.begin(), kFormats.end(), [&](const FormatRow& candidate) {
    return candidate.extension == extension;
  });
  return row == kFormats.end() ? std::nullopt : std::optional(row->format);
}

std::string_view content_type(TranscriptFormat format) {
  return kFormats.at(static_cast<std::size_t>(format)).type;
}

std::vector<Cue> cues_of(const Transcript& transcript, const TranscriptChoice& choice) {
  std::vector<ShownSentence> sentences;
  HeadingChanges headings;
  for_each_rendering(transcript, choice.track,
                     [&](const TranscriptSentence& sentence, const Rendering& rendering) {
                       if (!rendering.writes.empty()) {
                         sentences.push_back(choice.bilingual ? both_languages(sentence, rendering)
                                                              : ShownSentence{words_of(
                                                                    rendering, sentence.begin())});
                         sentences.back().heading = headings.at(sentence);
                       }
                     });
  straighten(sentences);
  std::vector<Cue> cues;
  for (const ShownSentence& sentence : sentences) {
    add_cues_of(sentence, cues);
  }
  set_times(cues);
  return cues;
}

TranscriptFile::TranscriptFile(std::string channel, TranscriptChoice choice)
    : channel_(std::move(channel)), choice_(std::move(choice)) {}

// Returns the seconds to add to the times of a stream.
double TranscriptFile::offset_of(const StreamDescription& stream, const Transcript& transcript) {
  const double origin = origin_of(stream, transcript);
  if (!first_origin_) {
    first_origin_ = origin;
    return 0;
  }
  const double begin = transcript.sentences().front().begin();
  const double offset = std::max(origin - *first_origin_, end_ - begin);
  return std::abs(offset) < kLatest * 10 ? std::round(offset * 1000) / 1000 : 0;  // NaN is 0, too
}

void TranscriptFile::add(const StreamDescription& stream, const Transcript& transcript) {
  if (transcript.sentences().empty()) {
    return;
  }
  const double offset = offset_of(stream, transcript);
  for (const TranscriptSentence& sentence : transcript.sentences()) {
    end_ = std::max(end_, sentence.end() + offset);
  }
  switch (choice_.format) {
    case TranscriptFormat::kWebVtt:
    case TranscriptFormat::kSrt:
      add_cues(transcript, offset);
      break;
    case TranscriptFormat::kText:
      text_ += (text_.empty() ? "" : "\n") + to_text(transcript, choice_);
      break;
    case TranscriptFormat::kJson:
      for_each_rendering(
          transcript, choice_.track,
          [&](const TranscriptSentence& sentence, const Rendering& rendering) {
            text_ += (items_++ > 0 ? ",\n" : "\n") +
                     to_json(sentence, rendering, choice_.bilingual,
                             choice_.all ? std::optional(stream.stream) : std::nullopt, offset);
          });
      break;
    case TranscriptFormat::kHtml:
      text_ += html_section(stream, transcript, {choice_.track, choice_.bilingual}, offset);
      break;
  }
}

// Holds the last cue back, which ends when that of the next stream begins.
void TranscriptFile::add_cues(const Transcript& transcript, double offset) {
  std::vector<Cue> cues = cues_of(transcript, choice_);
  if (!cues.empty() && last_cue_) {
    offset = std::max(offset, last_cue_->begin + kMinCue - cues.front().begin);
  }
  for (Cue& cue : cues) {
    cue.begin += offset;
    cue.end += offset;
    if (last_cue_) {
      last_cue_->end = std::min(last_cue_->end, cue.begin);
      write(*last_cue_);
    }
    last_cue_ = std::move(cue);
  }
}

void TranscriptFile::write(const Cue& cue) {
  text_ += choice_.format == TranscriptFormat::kSrt ? to_srt(cue, items_) : to_webvtt(cue, items_);
  ++items_;
}

std::string TranscriptFile::finish() {
  if (last_cue_) {
    write(*last_cue_);
  }
  switch (choice_.format) {
    case TranscriptFormat::kWebVtt:
      return "WEBVTT\n" + text_;
    case TranscriptFormat::kJson:
      return "[" + text_ + "]\n";
    case TranscriptFormat::kHtml:
      return html_page(channel_, text_);
    case TranscriptFormat::kSrt:
    case TranscriptFormat::kText:
      break;
  }
  return std::move(text_);
}

std::string write_transcript(const Transcript& transcript, const TranscriptChoice& choice) {
  TranscriptFile file("", choice);
  file.add({}, transcript);
  return file.finish();
}

}  // namespace surtitle
