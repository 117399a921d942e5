// Reads a stream's log (daemon/protocol/stream_log_format.h): the talk as it came, and what was
// made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/stream_log_format.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/timed_transcript.h"

namespace surtitle {

struct ReadStreamLog {
  stream_log::Head head;
  protocol::Track track;  // the one asked for; its policy is that of the first sentence
  // Its texts' changes make the track's model, policy and form of text what they were.
  TimedTranscript talk;
  RecordedRun run;  // the track's complete sentences
  std::vector<std::string> warnings;
};

// `name` stands for the log in messages. A last line without its newline, cut off with the daemon
// or the disk, is left out with a warning. Throws std::runtime_error: "NAME:LINE: what is wrong;
// what is allowed".
ReadStreamLog read_stream_log(std::string_view content, const std::string& name,
                              const std::string& track);

}  // namespace surtitle
