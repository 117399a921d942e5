#include "daemon/channels/transcript_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "daemon/base/json_writer.h"
#include "model/text/tokenizer.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::size_t kLineCharacters = 42;
constexpr std::size_t kLines = 2;
constexpr double kMinCue = 1;         // seconds
constexpr double kReadingSpeed = 15;  // characters a second
constexpr double kMaxSilence = 1.5;   // seconds that a cue stays after its last word

struct FormatRow {
  TranscriptFormat format;
  std::string_view extension;
  std::string_view type;
};
constexpr std::array<FormatRow, 4> kFormats{{
    {TranscriptFormat::kWebVtt, "vtt", "text/vtt; charset=utf-8"},
    {TranscriptFormat::kSrt, "srt", "application/x-subrip; charset=utf-8"},
    {TranscriptFormat::kText, "txt", "text/plain; charset=utf-8"},
    {TranscriptFormat::kJson, "json", "application/json"},
}};

// A target word and the time of the source that it needed, in seconds.
struct TimedWord {
  std::string text;
  double time = 0;
};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

double begin_of(const TranscriptSentence& sentence) {
  return sentence.source.empty() ? 0 : sentence.source.front().time.value_or(0);
}

double end_of(const TranscriptSentence& sentence) {
  return sentence.source.empty() ? 0 : sentence.source.back().time.value_or(0);
}

// Splits the writes into words. The time of a word is that of the write that began it.
std::vector<TimedWord> words_of(const Rendering& rendering, double sentence_begin) {
  std::vector<TimedWord> words;
  double latest = sentence_begin;
  bool open = false;  // the last word may still grow
  for (const protocol::Write& write : rendering.writes) {
    latest = std::max(latest, write.source_time.value_or(latest));
    std::string_view text = write.text;
    while (!text.empty()) {
      const std::size_t space = std::min(text.find(' '), text.size());
      if (space > 0 && open) {
        words.back().text += text.substr(0, space);
      } else if (space > 0) {
        words.push_back({std::string(text.substr(0, space)), latest});
      }
      open = space == text.size();
      text.remove_prefix(std::min(space + 1, text.size()));
    }
  }
  return words;
}

// Lines have at most kLineCharacters, except for a single longer word.
void add_word(std::string_view word, std::vector<std::string>& lines) {
  if (lines.empty() || characters(lines.back()) + 1 + characters(word) > kLineCharacters) {
    lines.emplace_back(word);
  } else {
    lines.back() += ' ';
    lines.back() += word;
  }
}

std::vector<std::string> wrapped(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view word : split_words(text)) {
    add_word(word, lines);
  }
  return lines;
}

std::size_t characters(const std::vector<std::string>& lines) {
  std::size_t count = 0;
  for (const std::string& line : lines) {
    count += characters(line);
  }
  return count;
}

void add_cues_of(const TranscriptSentence& sentence, const Rendering& rendering,
                 std::vector<Cue>& cues) {
  bool fresh = true;
  for (const TimedWord& word : words_of(rendering, begin_of(sentence))) {
    if (!fresh) {
      Cue& cue = cues.back();
      std::vector<std::string> lines = cue.lines;
      add_word(word.text, lines);
      if (lines.size() <= kLines) {
        cue.lines = std::move(lines);
        cue.end = word.time;
        continue;
      }
    }
    cues.push_back({word.time, word.time, {word.text}});
    fresh = false;
  }
}

void add_bilingual_cue(const TranscriptSentence& sentence, const Rendering& rendering,
                       std::vector<Cue>& cues) {
  Cue cue{begin_of(sentence), end_of(sentence), wrapped(sentence.source_text())};
  for (std::string& line : wrapped(rendering.text())) {
    cue.lines.push_back(std::move(line));
  }
  cues.push_back(std::move(cue));
}

// Sets the end of each cue. REQUIRES: `end` is the time of the cue's last word.
void set_ends(std::vector<Cue>& cues) {
  for (std::size_t i = 0; i < cues.size(); ++i) {
    Cue& cue = cues[i];
    if (i > 0) {
      cue.begin = std::max(cue.begin, cues[i - 1].begin);
    }
    const double reading =
        std::max(kMinCue, static_cast<double>(characters(cue.lines)) / kReadingSpeed);
    cue.end = std::max(cue.begin + reading, cue.end + kMaxSilence);
    if (i > 0 && cues[i - 1].end > cue.begin) {
      cues[i - 1].end = cue.begin;
    }
  }
  // A cue that begins together with the next one would never be seen: both share the time of the
  // next one.
  for (std::size_t i = cues.size(); i-- > 1;) {
    Cue& before = cues[i - 1];
    Cue& cue = cues[i];
    if (before.end - before.begin < 0.1 && cue.end > before.begin) {
      const double middle = before.begin + (cue.end - before.begin) / 2;
      before.end = cue.begin = middle;
    }
  }
}

std::string clock_text(double seconds, char point) {
  constexpr double kLatest = 359'999'999.999;  // 99999:59:59.999
  const long long milliseconds = std::llround(std::clamp(seconds, 0.0, kLatest) * 1000);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld%c%03lld", milliseconds / 3'600'000,
                milliseconds / 60'000 % 60, milliseconds / 1000 % 60, point, milliseconds % 1000);
  return text.data();
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return safe;
}

std::string to_webvtt(const std::vector<Cue>& cues) {
  std::string text = "WEBVTT\n";
  for (const Cue& cue : cues) {
    text += "\n" + clock_text(cue.begin, '.') + " --> " + clock_text(cue.end, '.') + "\n";
    for (const std::string& line : cue.lines) {
      text += escaped(line) + "\n";
    }
  }
  return text;
}

std::string to_srt(const std::vector<Cue>& cues) {
  std::string text;
  for (std::size_t i = 0; i < cues.size(); ++i) {
    text += (i > 0 ? "\n" : "") + std::to_string(i + 1) + "\n" + clock_text(cues[i].begin, ',') +
            " --> " + clock_text(cues[i].end, ',') + "\n";
    for (const std::string& line : cues[i].lines) {
      text += line + "\n";
    }
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
  for_each_rendering(transcript, choice.track,
                     [&](const TranscriptSentence& sentence, const Rendering& rendering) {
                       if (choice.bilingual) {
                         text += (text.empty() ? "" : "\n") + sentence.source_text() + "\n";
                       }
                       text += rendering.text() + "\n";
                     });
  return text;
}

std::string to_json(const TranscriptSentence& sentence, const Rendering& rendering,
                    bool bilingual) {
  JsonWriter json;
  json.field("sentence", sentence.number)
      .field("begin", begin_of(sentence))
      .field("end", end_of(sentence));
  if (bilingual) {
    json.field("source", sentence.source_text());
  }
  return json.field("target", rendering.text())
      .field("complete", rendering.finished.has_value())
      .raw_field("words", json_array(words_of(rendering, begin_of(sentence)),
                                     [](const TimedWord& word) {
                                       return JsonWriter()
                                           .field("text", word.text)
                                           .field("source_time", word.time)
                                           .finish();
                                     }))
      .finish();
}

std::string to_json(const Transcript& transcript, const TranscriptChoice& choice) {
  std::vector<std::string> sentences;
  for_each_rendering(transcript, choice.track,
                     [&](const TranscriptSentence& sentence, const Rendering& rendering) {
                       sentences.push_back(to_json(sentence, rendering, choice.bilingual));
                     });
  return json_array(sentences, [](const std::string& json) { return "\n" + json; }) + "\n";
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
  std::vector<Cue> cues;
  for_each_rendering(transcript, choice.track,
                     [&](const TranscriptSentence& sentence, const Rendering& rendering) {
                       if (rendering.writes.empty()) {
                         return;
                       }
                       if (choice.bilingual) {
                         add_bilingual_cue(sentence, rendering, cues);
                       } else {
                         add_cues_of(sentence, rendering, cues);
                       }
                     });
  set_ends(cues);
  return cues;
}

std::string write_transcript(const Transcript& transcript, const TranscriptChoice& choice) {
  switch (choice.format) {
    case TranscriptFormat::kWebVtt:
      return to_webvtt(cues_of(transcript, choice));
    case TranscriptFormat::kSrt:
      return to_srt(cues_of(transcript, choice));
    case TranscriptFormat::kText:
      return to_text(transcript, choice);
    case TranscriptFormat::kJson:
      return to_json(transcript, choice);
  }
  return {};
}

}  // namespace surtitle
