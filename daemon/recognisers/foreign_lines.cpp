#include "daemon/recognisers/foreign_lines.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

// Beginnings of lines that no text has.
constexpr std::array<std::string_view, 6> kBanners{
    "Press Ctrl+C to stop",               // vosk-api's test_microphone.py
    "READY....",                          // pocketsphinx_continuous 0.8
    "Ready....",                          //
    "Stopped listening, please wait...",  //
    "[Start speaking]",                   // whisper.cpp's stream
    "Started! Please speak",              // sherpa-onnx' microphone programs
};
// Beginnings of lines that a text may have, too.
constexpr std::array<std::string_view, 8> kPrompts{
    "Press Ctrl",            //
    "Listening...",          // pocketsphinx_continuous 0.8
    "Stopped listening",     //
    "Recording is stopped",  //
    "Recording started",     // clients of servers
    "Connection opened",     //
    "Connection closed",     //
    "Connected to ws",       //
};
constexpr std::array<std::string_view, 2> kLastLines{"Done", "Done!"};
constexpr std::array<std::string_view, 35> kMessages{
    "ALSA lib ",
    "jack server is not ",
    "JackShm",
    "Cannot connect to server s",
    "connect(2) call to ",
    "LOG (",
    "Expression '",
    "Traceback (most recent call last)",
    "KeyboardInterrupt",
    "system_info: ",
    "whisper_",
    "ggml_",
    "main: processing ",  // whisper.cpp
    "init: found ",
    "init: attempt to open ",
    "init: obtained spec ",
    "Input overrun, read calls",  // pocketsphinx_continuous
    "Recording WAVE '",           // arecord
    "Recording raw data '",
    "overrun!!!",
    "underrun!!!",
    "rec WARN ",  // SoX
    "sox WARN ",
    "ffmpeg version ",
    "Input #",
    "Output #",
    "Stream mapping:",
    "size=  ",
    "Using cache found in ",
    "<frozen ",
    "Segmentation fault",
    "terminate called after ",
    "Detecting language using ",  // Whisper
    "Detected language",
    "(Use `node ",
};
// In a shape, 0 stands for a digit, 9 for digits, & for the characters of a name, and a space for
// spaces.
constexpr std::array<std::string_view, 18> kShapes{
    "9%|",     // progress of Python's tqdm
    "&: 9%|",  //
    "I0000 00:00:",
    "W0000 00:00:",
    "E0000 00:00:",
    "F0000 00:00:",
    "0000/00/00 00:00:00 ",  // Go
    "&: WARNING:",           // "main: WARNING: .." of whisper.cpp
    "&: ERROR:",
    "&: INFO:",
    "(&:9): ",      // GLib
    "** (&:9): ",   //
    "(node:9) ",    // Node.js
    "0:00:00.9 9",  // GStreamer
    "[& @ 0x",      // FFmpeg
    "In:9.00% ",    // SoX
    "thread '&' panicked",
    "/&/&",  // a path
};
constexpr std::array<std::string_view, 2> kAfterTime{".9: & &/", ".9 [&:"};
constexpr std::array<std::string_view, 6> kLevels{"WARNING", "INFO",     "ERROR",
                                                  "DEBUG",   "CRITICAL", "FATAL"};
constexpr std::array<std::string_view, 9> kSources{
    ".py:", ".c:", ".cc:", ".cpp:", ".cxx:", ".hpp:", ".h:", ".cu:", ".rs:"};
constexpr std::string_view kRules = "#=-*_~";
constexpr std::size_t kMaxBeforeLevel = 60;  // bytes between a time and the level

Match literal(std::string_view begin, std::string_view known) {
  return begin.starts_with(known)   ? Match::kYes
         : known.starts_with(begin) ? Match::kUndecided
                                    : Match::kNo;
}

template <class List>
Match any_of(const List& list, std::string_view begin) {
  Match match = Match::kNo;
  for (const std::string_view known : list) {
    match = std::max(match, literal(begin, known));
  }
  return match;
}

bool fits(char c, char sign) {
  switch (sign) {
    case '0':
    case '9':
      return is_digit(c);
    case '&':
      return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
    default:
      return c == sign;
  }
}

Match shape(std::string_view begin, std::string_view shape) {
  for (const char sign : shape) {
    const bool repeats = sign == '9' || sign == '&' || sign == ' ';
    std::size_t count = 0;
    while (count < (repeats ? begin.size() : std::min<std::size_t>(begin.size(), 1)) &&
           fits(begin[count], sign)) {
      ++count;
    }
    if (count == 0) {
      return begin.empty() ? Match::kUndecided : Match::kNo;
    }
    begin.remove_prefix(count);
  }
  return Match::kYes;
}

template <class Shapes>
Match any_shape(const Shapes& shapes, std::string_view begin) {
  Match match = Match::kNo;
  for (const std::string_view known : shapes) {
    match = std::max(match, shape(begin, known));
  }
  return match;
}

// "INFO: ..", "WARNING (VoskAPI:..)", "INFO\t..", "[INFO]", but not "INFORMATION" or "INFO is"
Match level(std::string_view begin) {
  Match match = Match::kNo;
  for (const std::string_view level : kLevels) {
    for (const char* end : {":", " (", "\t"}) {
      match = std::max(match, literal(begin, std::string(level) + end));
    }
    match = std::max(match, literal(begin, "[" + std::string(level) + "]"));
  }
  return match;
}

// "whisper_model_load: n_vocab = 51865": the name of a function with an underscore
Match function_name(std::string_view begin) {
  if (!is_lower(begin[0])) {
    return Match::kNo;
  }
  const std::size_t end = begin.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
  if (end == begin.npos) {
    return Match::kUndecided;
  }
  return begin.substr(0, end).find('_') == begin.npos ? Match::kNo
                                                      : literal(begin.substr(end), ": ");
}

// "pcm.c:2664:(snd_pcm_open_noupdate)", "transcribe.py:114: UserWarning", "options.cc:Read:372"
Match source_position(std::string_view begin) {
  const std::size_t end = begin.find_first_of(" \t\r\n\"'()[]{}<>,;!?");
  const std::string_view word = begin.substr(0, end);
  const auto is_ascii = [](unsigned char c) { return c < 0x80; };
  if (!std::all_of(word.begin(), word.end(), is_ascii)) {
    return Match::kNo;
  }
  for (const std::string_view source : kSources) {
    const std::size_t at = word.find(source);
    if (at == word.npos || at == 0) {
      continue;
    }
    std::string_view rest = word.substr(at + source.size());
    rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));  // the name of a function
    if (!rest.empty() && is_digit(rest[0])) {
      return Match::kYes;
    }
  }
  return end == begin.npos ? Match::kUndecided : Match::kNo;
}

// "2026-11-27 10:00:00,123 - root - INFO - loaded", "2026-11-27 10:00:00.123: I tensorflow/x.cc"
Match time_and_level(std::string_view begin) {
  Match match = Match::kNo;
  begin.remove_prefix(begin.starts_with('[') ? 1 : 0);
  for (const std::string_view time : {"0000-00-00 00:00:00", "0000-00-00T00:00:00"}) {
    const Match timed = shape(begin, time);
    if (timed != Match::kYes) {
      match = std::max(match, timed);
      continue;
    }
    const std::string_view rest = begin.substr(time.size());
    for (const std::string_view level : kLevels) {
      const std::size_t at = rest.substr(0, kMaxBeforeLevel).find(level);
      if (at != rest.npos && at + level.size() < rest.size() &&
          !is_letter(rest[at + level.size()])) {
        return Match::kYes;
      }
    }
    match = std::max({match, any_shape(kAfterTime, rest),
                      rest.size() < kMaxBeforeLevel ? Match::kUndecided : Match::kNo});
  }
  return match;
}

// "KeyError: 'text'", "UserWarning: FP16 is not supported"
Match exception(std::string_view begin) {
  const auto* end = std::find_if_not(begin.begin(), begin.end(), is_letter);
  const std::string_view name = begin.substr(0, static_cast<std::size_t>(end - begin.begin()));
  if (is_lower(begin[0])) {
    return Match::kNo;
  }
  if (end == begin.end()) {
    return Match::kUndecided;
  }
  for (const std::string_view kind : {"Error", "Exception", "Warning"}) {
    if (name.ends_with(kind) && name.size() > kind.size()) {
      return literal(begin.substr(name.size()), ": ");
    }
  }
  return Match::kNo;
}

}  // namespace

bool is_rule(std::string_view line) {
  line = trimmed(line);
  return line.size() > 2 && kRules.find(line[0]) != kRules.npos &&
         line.find_first_not_of(line[0]) == line.npos;
}

bool is_prompt(std::string_view line) {
  line = trimmed(line);
  return is_rule(line) || match_banner(line) == Match::kYes ||
         any_of(kPrompts, line) == Match::kYes ||
         std::find(kLastLines.begin(), kLastLines.end(), line) != kLastLines.end();
}

bool is_log_message(std::string_view line) { return match_log_message(line) == Match::kYes; }

Match match_banner(std::string_view begin) { return any_of(kBanners, begin); }

Match match_log_message(std::string_view begin) {
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (begin.empty()) {
    return Match::kUndecided;
  }
  return std::max({any_of(kMessages, begin), any_shape(kShapes, begin), level(begin),
                   function_name(begin), source_position(begin), time_and_level(begin),
                   exception(begin)});
}

bool may_become_foreign(std::string_view begin) {
  const bool may_be_rule = !begin.empty() && kRules.find(begin[0]) != kRules.npos &&
                           begin.find_first_not_of(begin[0]) == begin.npos;
  return !begin.empty() &&
         (may_be_rule || match_log_message(begin) != Match::kNo ||
          match_banner(begin) != Match::kNo || any_of(kPrompts, begin) != Match::kNo ||
          any_of(kLastLines, begin) != Match::kNo);
}

}  // namespace surtitle
