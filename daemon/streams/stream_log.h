// What one stream does, line by line, for the log of it (daemon/protocol/stream_log_format.h).
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/stream_log_format.h"
#include "daemon/streams/log_writer.h"
#include "daemon/translation/translation_track.h"

namespace surtitle {

class StreamLog {
 public:
  // `writer` outlives this.
  StreamLog(LogWriter& writer, std::string file_name);
  StreamLog(const StreamLog&) = delete;
  StreamLog& operator=(const StreamLog&) = delete;
  // Nothing more is written.
  ~StreamLog() { writer_.close(file_); }

  void append(const std::vector<std::string>& lines);

 private:
  LogWriter& writer_;
  const LogWriter::FilePtr file_;
};

// What the log has of it, in the order in which it happened. Leaves the text of each message that
// it wrote as JSON.
std::vector<std::string> log_lines(SessionOutput& output);

// "2026-11-22T03:36:55.123Z"
std::string utc_time(std::chrono::system_clock::time_point time);

// The file of a stream, "2026-11-22T03-36-55Z-CHANNEL-s-0123abcd.jsonl": nothing of it comes from
// outside but the channel's name, which has neither a slash nor a space.
std::string stream_log_name(const stream_log::Head& head);

}  // namespace surtitle
