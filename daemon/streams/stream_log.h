// The log of one stream, for replays.
//
// daemon/protocol/stream_log_format.h has the format of its lines.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <vector>

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
  // Closes the file once its lines are written.
  ~StreamLog() { writer_.close(file_); }

  void append(const std::vector<std::string>& lines);

 private:
  LogWriter& writer_;
  const LogWriter::FilePtr file_;
};

// Returns the log lines of the output, in the order of the events. Stores the JSON of each logged
// message in its `text`.
std::vector<std::string> log_lines(SessionOutput& output);

// Returns the name of a stream's file, "2026-11-22T03-36-55Z-CHANNEL-s-0123abcd.jsonl". The channel
// is the only part from a client, and has no slash and no space.
std::string stream_log_name(const stream_log::Head& head);

}  // namespace surtitle
