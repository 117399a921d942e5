// Reads a stream's log (daemon/protocol/stream_log_format.h): the talk and its translation.
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
  protocol::Track track;  // the requested one, with the policy of its first sentence
  // Its texts have the changes of the track's model, policy and source form.
  TimedTranscript transcript;
  RecordedRun run;  // the track's complete sentences
  std::vector<std::string> warnings;
};

// Reads the log of one track. `name`: name of the log in messages. A last line that is incomplete,
// because the daemon or the disk failed, is skipped with a warning. Throws std::runtime_error:
// "NAME:LINE: what is wrong; what is allowed".
ReadStreamLog read_stream_log(std::string_view content, const std::string& name,
                              const std::string& track);

}  // namespace surtitle
