#include "daemon/recognisers/foreign_lines.h"

#include <algorithm>
#include <array>
#include <string>

namespace surtitle {
namespace {

// Beginnings of lines.
constexpr std::array<std::string_view, 12> kPrompts{
    "Press Ctrl",             // vosk-api's test_microphone.py
    "READY....",              // pocketsphinx_continuous 0.8
    "Ready....",              //
    "Listening...",           //
    "Stopped listening",      //
    "Recording is stopped",   //
    "[Start speaking]",       // whisper.cpp's stream
    "Started! Please speak",  // sherpa-onnx' microphone programs
    "Recording started",      //
    "Connection opened",      // clients of servers
    "Connection closed",      //
    "Connected to ws",        //
};
constexpr std::array<std::string_view, 2> kLastLines{"Done", "Done!"};
constexpr std::array<std::string_view, 11> kMessages{
    "ALSA lib ",           "jack server ", "JackShm",      "Cannot connect to server s",
    "connect(2) call to ", "LOG (",        "Expression '", "Traceback (",
    "system_info: ",       "whisper_",     "ggml_",
};
constexpr std::array<std::string_view, 4> kLevels{"WARNING", "INFO", "ERROR", "DEBUG"};
constexpr std::string_view kRules = "#=-*_~";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  return first == line.npos ? std::string_view()
                            : line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first);
}

template <class List>
bool begins_with_any(const List& list, std::string_view line) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view known) { return line.starts_with(known); });
}

template <class List>
bool may_become_any(const List& list, std::string_view begin) {
  return begins_with_any(list, begin) ||
         std::any_of(list.begin(), list.end(),
                     [&](std::string_view known) { return known.starts_with(begin); });
}

// "####"
bool may_be_rule(std::string_view line) {
  return kRules.find(line[0]) != kRules.npos && line.find_first_not_of(line[0]) == line.npos;
}

// "INFO: ..", "WARNING (VoskAPI:..)", but not "INFORMATION" or "INFO is"
bool has_level(std::string_view line) {
  return std::any_of(kLevels.begin(), kLevels.end(), [&](std::string_view level) {
    return line.starts_with(level) && line.size() > level.size() + 1 &&
           (line[level.size()] == ':' || line.substr(level.size(), 2) == " (");
  });
}

// "whisper_model_load: n_vocab = 51865": the name of a function with an underscore
bool names_function(std::string_view line) {
  const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
  return end != line.npos && line.substr(end).starts_with(": ") && line[0] != '_' &&
         line.substr(0, end).find('_') != line.npos;
}

}  // namespace

bool is_prompt(std::string_view line) {
  line = trimmed(line);
  return (line.size() > 2 && may_be_rule(line)) || begins_with_any(kPrompts, line) ||
         std::find(kLastLines.begin(), kLastLines.end(), line) != kLastLines.end();
}

bool is_log_message(std::string_view line) {
  line = trimmed(line);
  return !line.empty() &&
         (has_level(line) || names_function(line) || begins_with_any(kMessages, line));
}

bool may_become_foreign(std::string_view begin) {
  return !begin.empty() && (may_be_rule(begin) || may_become_any(kPrompts, begin) ||
                            may_become_any(kLastLines, begin) || may_become_any(kMessages, begin) ||
                            may_become_any(kLevels, begin));
}

}  // namespace surtitle
