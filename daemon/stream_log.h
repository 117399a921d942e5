// What one stream does, line by line, for the log of it (daemon/stream_log_format.h).
//
// Thread-safety: none; one owner.
#pragma once

#include <string>

#include "daemon/clock.h"
#include "daemon/log_writer.h"
#include "daemon/stream_log_format.h"
#include "daemon/translation_track.h"

namespace surtitle {

class StreamLog {
 public:
  // The stream is ready now. `writer` outlives this.
  StreamLog(LogWriter& writer, const stream_log::Head& head, TimePoint ready);

  void take(const SessionOutput& output);
  void take(const protocol::ServerMessage& message);  // where it is of a kind that is logged
  void take(const stream_log::FormChange& change);
  // The last call.
  void end(protocol::ByeReason reason, int words);

 private:
  LogWriter& writer_;
  const TimePoint ready_;
  const LogWriter::FilePtr file_;
};

// "2026-11-22T03:36:55.123Z"
std::string utc_time(std::chrono::system_clock::time_point time);

// The file of a stream, "2026-11-22T03-36-55Z-CHANNEL-s-0123abcd.jsonl": nothing of it comes from
// outside but the channel's name, which has neither a slash nor a space.
std::string stream_log_name(const stream_log::Head& head);

}  // namespace surtitle
