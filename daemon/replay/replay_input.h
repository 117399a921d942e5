// Reads the input of a replay: a log, the output of a recogniser, timed words or plain text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/stream_log_format.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/timed_transcript.h"

namespace surtitle {

enum class ReplayFormat {
  kStream,     // daemon/protocol/stream_log_format.h
  kInstances,  // SimulEval's instances.log; each `source` is a sentence
  kTimed,      // lines of {"time": .., "text": ".."}
  kText,
  kSubtitles,   // SRT or WebVTT
  kRecogniser,  // what a recogniser printed or sent, in a format of `surtitle pipe`
};
inline constexpr std::string_view kReplayFormats =
    "auto, stream, instances, timed, text, subtitles, recogniser";

std::optional<ReplayFormat> replay_format_by_name(std::string_view name);  // "instances"

// Detects the format by the first line that is not blank.
ReplayFormat detect_format(std::string_view content);

struct ReplayInput {
  ReplayFormat format = ReplayFormat::kText;
  std::string name;  // of the file, for messages and reports
  TimedTranscript transcript;
  std::optional<RecordedRun> run;        // the translation in the log
  std::optional<stream_log::Head> head;  // of a stream's log
  std::vector<std::string> references;   // of SimulEval's log, if all lines have them
  std::vector<std::string> warnings;
};

struct ReplayReadOptions {
  std::optional<ReplayFormat> format = {};  // nullopt: detected from the content
  double rate = 2.5;                        // words per second of text without times
  std::string track = {};                   // of a stream's log; empty: the first
};

// Throws std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
ReplayInput read_replay_input(const std::filesystem::path& file, const ReplayReadOptions& options);

}  // namespace surtitle
