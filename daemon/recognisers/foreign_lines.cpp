#include "daemon/recognisers/foreign_lines.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

// Beginnings of lines that no text has.
constexpr std::array<std::string_view, 8> kBanners{
    "Press Ctrl+C to stop",               // vosk-api's test_microphone.py
    "READY....",                          // pocketsphinx_continuous 0.8
    "Ready....",                          //
    "Stopped listening, please wait...",  //
    "[Start speaking]",                   // whisper.cpp's stream
    "Started! Please speak",              // sherpa-onnx' microphone programs
    "Started. Please speak",              //
    "Caught Ctrl + C. Exit",              //
};
// Beginnings of lines that a text may have, too.
constexpr std::array<std::string_view, 16> kPrompts{
    "Press Ctrl",                        //
    "Listening...",                      // pocketsphinx_continuous 0.8
    "Stopped listening",                 //
    "Recording is stopped",              //
    "Recording started",                 // clients of servers
    "Connection opened",                 //
    "Connection closed",                 //
    "Connected to ws",                   //
    "Connected (press CTRL+C to quit)",  // wscat
    "Disconnected (code: ",              //
    "event: ",                           // server-sent events
    "id: ",                              //
    "retry: ",                           //
    "Creating recognizer",               // sherpa-onnx
    "Start to create recognizer",        //
    "Recognizer created",                //
};
constexpr std::array<std::string_view, 4> kLastLines{"Done", "Done!", "Started", "Started!"};
constexpr std::string_view kMessages[] = {
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
    "main: using VAD, ",  // whisper.cpp
    "main: failed to ",
    "main: audio.init() failed",
    "init: couldn't open ",
    "error: failed to initialize whisper context",
    "error: unknown argument: ",
    "error: unknown language '",
    "[NAME]\t",  // PocketSphinx
    "Current configuration:\n",
    "Warning: Could not find Mic element",
    "Warning: Could not find Capture element",
    "arecord: ",
    "aplay: ",
    "parec: ",
    "parecord: ",
    "pw-record: ",
    "pw-cat: ",
    "During handling of the above exception, another exception occurred:",  // Python
    "The above exception was the direct cause of the following exception:",
    "Exception in thread ",
    "Exception ignored in: ",
    "Exception ignored in thread",
    "Fatal Python error: ",
    "Task exception was never retrieved",
    "OMP: ",
    "huggingface/tokenizers: ",
    "AL lib: (",
    "PulseAudio: ",
    "[ctranslate2] ",
    "tcmalloc: large alloc ",
    "Some weights of the model checkpoint ",
    "The compute type inferred from the saved model is ",
    "libpng warning: ",
    "libpng error: ",
    "libEGL warning: ",
    "libGL error: ",
    "libva info: ",
    "libva error: ",
    "size=N/A time=",  // FFmpeg
    "Press [q] to stop, [?] for help",
    "Exiting normally, received signal ",
    "Guessed Channel Layout",
    "Setting pipeline to ",  // GStreamer
    "Pipeline is live and does not need PREROLL",
    "Pipeline is PREROLL",
    "New clock: Gst",
    "Redistribute latency...",
    "Got EOS from element ",
    "Execution ended after 0:",
    "Freeing pipeline ...",
    "handling interrupt.",
    "Interrupt: Stopping pipeline ",
    "Additional debug info:",
    "OnlineRecognizerConfig(",  // sherpa-onnx
    "OfflineRecognizerConfig(",
    "VadModelConfig(",
};
// In a shape, 0 stands for a digit, 9 for digits, & for the characters of a name, ~ for characters
// without spaces and brackets, and a space for spaces.
constexpr std::string_view kShapes[] = {
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
    "[~ @ 0x",      // FFmpeg
    "frame=9 fps",
    "frame= 9 fps",
    "video:9kB audio:",
    "video:9KiB audio:",
    "In:9.00% ",  // SoX
    "thread '&' panicked",
    "/&/&",  // a path
    "[&:onnxruntime",
    "[rank9]: ",
    "objc[9]: ",
    "bash: line 9: ",
    "init: - ",  // whisper.cpp
    "init: & =",
    "main: & =",
    "Allocating 9 buffers of 9 samples each",  // PocketSphinx
    "I00000000 00:00:",                        // glog
    "W00000000 00:00:",
    "E00000000 00:00:",
    "F00000000 00:00:",
    "Num devices: 9",  // sherpa-onnx
    "Use & device: ",
    "Use device: 9",
    "Use sample rate 9",
    "num threads: 9",
    "decoding method: &_search",
    "max active paths: 9",
    "Elapsed seconds: 9.9",
    "Real time factor (RTF): 9.9",
    "Reading: ~\n",
    "Resampling from 9 Hz to 9 Hz",
    "Resampling done",
};
// What progress of tqdm begins with; a text may, too.
constexpr std::string_view kProgress[] = {
    "Fetching ",    "Loading ", "Downloading ", "Generating ", "Processing ", "Converting ",
    "Transcribing", "Map",      "Filter",       "Extracting ", "Resolving "};
constexpr std::size_t kMaxProgress = 60;      // bytes before the number
constexpr std::size_t kMaxProgressWords = 6;  // before the number
constexpr std::size_t kMaxDevice = 120;       // bytes of the name of a graphics card
constexpr std::array<std::string_view, 2> kAfterTime{".9: & &/", ".9 [&:"};
constexpr std::string_view kLevels[] = {"WARNING", "WARN",     "INFO",  "ERROR",
                                        "DEBUG",   "CRITICAL", "FATAL", "TRACE"};
constexpr std::string_view kSmallLevels[] = {"[warning]", "[warn]",     "[info]",  "[error]",
                                             "[debug]",   "[critical]", "[fatal]", "[trace]"};
constexpr std::array<std::string_view, 9> kSources{
    ".py:", ".c:", ".cc:", ".cpp:", ".cxx:", ".hpp:", ".h:", ".cu:", ".rs:"};
constexpr std::string_view kExceptions[] = {"Error",     "Exception", "Warning", "Interrupt",
                                            "Iteration", "Exit",      "Timeout"};
constexpr std::string_view kNameOfException =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
constexpr std::string_view kNameOfOption = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kRules = "#=-*_~";
constexpr std::size_t kMaxPrefix = 120;      // bytes
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
    case '~':
      return c > ' ' && c != '[' && c != ']';
    default:
      return c == sign;
  }
}

Match shape(std::string_view begin, std::string_view shape) {
  for (const char sign : shape) {
    const bool repeats = sign == '9' || sign == '&' || sign == '~' || sign == ' ';
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
  Match match = any_of(kSmallLevels, begin);
  for (const std::string_view level : kLevels) {
    for (const char* end : {":", " (", "\t"}) {
      match = std::max(match, literal(begin, std::string(level) + end));
    }
    match = std::max(match, literal(begin, "[" + std::string(level) + "]"));
    match = std::max(match, literal(begin, "[" + std::string(level) + "  "));  // of Rust
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
    for (const std::string_view level : kSmallLevels) {
      if (rest.substr(0, kMaxBeforeLevel).find(level) != rest.npos) {
        return Match::kYes;
      }
    }
    match = std::max({match, any_shape(kAfterTime, rest),
                      rest.size() < kMaxBeforeLevel ? Match::kUndecided : Match::kNo});
  }
  return match;
}

bool is_end_of_line(std::string_view rest) {
  return rest.starts_with('\n') || rest.starts_with('\r');
}

// Returns what follows the name of an exception, or nullopt if there is none: "KeyError",
// "websockets.exceptions.ConnectionClosedError".
std::optional<std::string_view> after_exception_name(std::string_view begin) {
  const std::size_t end = std::min(begin.find_first_not_of(kNameOfException), begin.size());
  const std::string_view name = begin.substr(0, end);
  const std::size_t last = name.rfind('.') + 1;
  const std::string_view base = name.substr(last);
  const bool is_known =
      name.find("exceptions.") != name.npos || name.find("errors.") != name.npos ||
      std::any_of(std::begin(kExceptions), std::end(kExceptions), [&](std::string_view kind) {
        return base.ends_with(kind) && (base.size() > kind.size() || last > 0);
      });
  return is_known && !base.empty() && is_upper(base[0]) ? std::optional(begin.substr(end))
                                                        : std::nullopt;
}

bool is_within_name_of_exception(std::string_view begin) {
  return begin.find_first_not_of(kNameOfException) == begin.npos && !is_digit(begin[0]);
}

// "KeyError: 'text'", "UserWarning: FP16 is not supported", "json.decoder.JSONDecodeError: .."
Match exception(std::string_view begin) {
  if (is_within_name_of_exception(begin)) {
    return Match::kUndecided;
  }
  const auto rest = after_exception_name(begin);
  return rest ? literal(*rest, ": ") : Match::kNo;
}

// The line after a traceback: "AssertionError", "queue.Empty", "Timeout: 3 s"
Match exception_of_traceback(std::string_view begin) {
  if (begin.empty() || is_within_name_of_exception(begin)) {
    return Match::kUndecided;
  }
  const std::size_t end = std::min(begin.find_first_not_of(kNameOfException), begin.size());
  if (is_digit(begin[0])) {
    return Match::kNo;
  }
  const std::string_view rest = begin.substr(end);
  const std::size_t dot = begin.find('.');
  const bool has_module = dot + 1 < end && dot != 0;
  if (end > 0 && is_end_of_line(rest)) {
    return has_module || after_exception_name(begin) ? Match::kYes : Match::kNo;
  }
  return end > 0 ? literal(rest, ": ") : Match::kNo;
}

// "Fetching 5 files: 100%|###"
Match progress(std::string_view begin) {
  const Match known = any_of(kProgress, begin);
  if (known != Match::kYes) {
    return known;
  }
  const std::size_t colon = begin.find(':');
  const std::string_view title = begin.substr(0, colon);
  const auto words = static_cast<std::size_t>(std::count(title.begin(), title.end(), ' '));
  if (title.size() > kMaxProgress || words >= kMaxProgressWords ||
      title.find_first_of(",;!?\r\n") != title.npos || title.find(". ") != title.npos) {
    return Match::kNo;
  }
  return colon == begin.npos ? Match::kUndecided : shape(begin.substr(colon), ": 9%|");
}

// Returns whether a whole line has tqdm's progress after any title.
bool has_progress(std::string_view line) {
  const std::size_t sign = line.find("%|");
  if (sign == line.npos) {
    return false;
  }
  const std::size_t before = line.substr(0, sign).find_last_not_of("0123456789");
  return before != line.npos && before + 1 < sign && line.find('|', sign + 2) != line.npos &&
         trimmed(line.substr(0, before + 1)).ends_with(':');
}

// "Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes"
Match device(std::string_view begin) {
  const Match known = shape(begin, "Device 9: ");
  if (known != Match::kYes) {
    return known;
  }
  if (begin.find(", compute capability ") != begin.npos) {
    return Match::kYes;
  }
  return begin.size() < kMaxDevice && begin.find_first_of("\r\n") == begin.npos ? Match::kUndecided
                                                                                : Match::kNo;
}

// "-agc\t\tnone": an option of PocketSphinx and its values
Match option(std::string_view begin, bool may_have_none) {
  if (!begin.starts_with('-') || (begin.size() > 1 && !is_lower(begin[1]))) {
    return begin.empty() ? Match::kUndecided : Match::kNo;
  }
  const std::size_t end = begin.find_first_not_of(kNameOfOption, 1);
  if (end == begin.npos) {
    return Match::kUndecided;
  }
  const bool is_option = begin[end] == '\t' || (may_have_none && is_end_of_line(begin.substr(end)));
  return is_option ? Match::kYes : Match::kNo;
}

// Lines of the program follow in Python, and details in FFmpeg and ggml.
bool has_further_lines(std::string_view line) {
  line = trimmed(line);
  return line.find("Warning: ") != line.npos || line.starts_with("Input #") ||
         line.starts_with("Output #") || line.starts_with("ffmpeg version ") ||
         line.starts_with("Stream mapping:") || line.starts_with("Additional debug info:") ||
         line.starts_with("Num devices: ") || line.starts_with("Use device: ") ||
         (line.starts_with("ggml_") && line.ends_with(':'));
}

bool is_of_time(char c) {
  return is_digit(c) || std::string_view("-:.,/+TZ").find(c) != std::string_view::npos;
}

// Returns the length of the first part of a prefix, which more bytes may continue, or npos if
// `begin` begins none.
std::size_t prefix_item(std::string_view begin) {
  constexpr std::string_view kSigns = " \t<>|-*#";
  const auto end_of = [&](std::size_t end) { return std::min(end, begin.size()); };
  if (kSigns.find(begin[0]) != kSigns.npos) {
    return 1;
  }
  if (begin[0] == '[') {
    return end_of(begin.find(']')) + 1;
  }
  const auto name_end = static_cast<std::size_t>(
      std::find_if(begin.begin(), begin.end(), [](char c) { return !fits(c, '&'); }) -
      begin.begin());
  const auto time_end = static_cast<std::size_t>(
      std::find_if(begin.begin(), begin.end(), [](char c) { return !is_of_time(c); }) -
      begin.begin());
  const std::string_view time = begin.substr(0, time_end);
  if (is_digit(begin[0]) && time.find_first_of(":-") != time.npos &&
      (time_end == begin.size() || begin[time_end] == ' ')) {
    return time_end;
  }
  const std::string_view name = begin.substr(0, name_end);
  if (name.empty() || name_end == begin.size()) {
    return name.empty() ? begin.npos : name_end;
  }
  if (begin[name_end] == ':') {
    return name_end + 1;
  }
  const std::size_t next = begin.find_first_not_of(' ', name_end);
  if (next == name_end) {
    return begin.npos;
  }
  if (std::find(std::begin(kLevels), std::end(kLevels), name) != std::end(kLevels)) {
    return name_end;
  }
  const bool is_numbered = name.find_first_of("0123456789_") != name.npos;  // of a service
  return is_numbered && (next == begin.npos || begin[next] == '|') ? end_of(next) : begin.npos;
}

Match indented(std::string_view begin) {
  return std::max({literal(begin, "  "), literal(begin, "\t"), shape(begin, " * 9 ")});
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

bool is_sherpa_onnx_banner(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("Started! Please speak") || line.starts_with("Started. Please speak") ||
         line == "Started" || line == "Started!";
}

bool is_log_message(std::string_view line) {
  return match_log_message(std::string(line) + "\n") == Match::kYes || has_progress(line);
}

Match match_banner(std::string_view begin) { return any_of(kBanners, begin); }

Match match_log_message(std::string_view begin) {
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (begin.empty()) {
    return Match::kUndecided;
  }
  return std::max({any_of(kMessages, begin), any_shape(kShapes, begin), level(begin),
                   function_name(begin), source_position(begin), time_and_level(begin),
                   exception(begin), progress(begin), device(begin),
                   option(begin, /*may_have_none=*/false)});
}

Match match_pocketsphinx(std::string_view begin) {
  constexpr std::string_view kReady[] = {"READY....", "Ready...."};
  constexpr std::string_view kLines[] = {"000000000: ", "INFO: &(9): "};
  return begin.empty() ? Match::kUndecided
                       : std::max(any_of(kReady, begin), any_shape(kLines, begin));
}

Match match_line_prefix(std::string_view begin) {
  if (begin.size() > kMaxPrefix) {
    return Match::kNo;
  }
  while (!begin.empty()) {
    const std::size_t item = prefix_item(begin);
    if (item == begin.npos) {
      return Match::kNo;
    }
    begin.remove_prefix(std::min(item, begin.size()));
  }
  return Match::kUndecided;
}

bool may_become_foreign(std::string_view begin) {
  const bool may_be_rule = !begin.empty() && kRules.find(begin[0]) != kRules.npos &&
                           begin.find_first_not_of(begin[0]) == begin.npos;
  return !begin.empty() &&
         (may_be_rule || match_log_message(begin) != Match::kNo ||
          match_banner(begin) != Match::kNo || any_of(kPrompts, begin) != Match::kNo ||
          any_of(kLastLines, begin) != Match::kNo);
}

Match MessageLines::match(std::string_view begin) const {
  const Match message = match_log_message(begin);
  switch (further_) {
    case Further::kIndented:
    case Further::kTraceback:
      return std::max(message, indented(begin));
    case Further::kException:
      return std::max({message, indented(begin), exception_of_traceback(begin)});
    case Further::kCommand:
      return std::max({message, indented(begin), shape(begin, "~ \\")});
    case Further::kOptions:
      return std::max(message, option(begin, /*may_have_none=*/true));
    default:
      return message;
  }
}

bool MessageLines::is_message(std::string_view line) const {
  return match(std::string(line) + "\n") == Match::kYes || has_progress(line);
}

void MessageLines::end_line(std::string_view line, bool is_message) {
  further_ = is_message ? further_lines(line) : Further::kNone;
}

MessageLines::Further MessageLines::further_lines(std::string_view line) const {
  const bool is_further = indented(line) == Match::kYes;
  if (line.starts_with("Traceback (")) {
    return Further::kTraceback;
  }
  if (further_ == Further::kTraceback || further_ == Further::kException) {
    return is_further ? Further::kException : Further::kNone;
  }
  if (trimmed(line).ends_with("Parsing command line:")) {
    return Further::kCommand;
  }
  if (line.starts_with("[NAME]") || (further_ == Further::kOptions && line.starts_with('-'))) {
    return Further::kOptions;
  }
  const bool continues =
      further_ == Further::kCommand || (further_ == Further::kIndented && is_further);
  return continues || has_further_lines(line) ? Further::kIndented : Further::kNone;
}

}  // namespace surtitle
