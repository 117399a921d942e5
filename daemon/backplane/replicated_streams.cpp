#include "daemon/backplane/replicated_streams.h"

#include <algorithm>

namespace surtitle {

void ReplicatedStream::append() noexcept {
  if (++local > offset) {
    apply(ReplicationEvent::kAppended);
  }
}

void ReplicatedStream::set_offset(std::int64_t entries) noexcept {
  offset = entries;
  apply(offset < local ? ReplicationEvent::kLacksEntries : ReplicationEvent::kHasAll);
}

bool ReplicatedStream::may_send(TimePoint now) const noexcept {
  return is_lagging(state) && (state != ReplicationState::kQuarantined || until <= now);
}

ReplicationLag lag_of(const ReplicatedStreams& streams, TimePoint now) {
  ReplicationLag lag;
  for (const auto& [name, stream] : streams) {
    if (is_lagging(stream.state)) {
      lag.entries += stream.local - (offset_known(stream.state) ? stream.offset : 0);
      lag.may_send = lag.may_send || stream.may_send(now);
      lag.caught_up = lag.caught_up && in_quarantine(stream.state);
      lag.streams.push_back(name);
    }
  }
  return lag;
}

ReplicatedStreams::iterator oldest_backlog(ReplicatedStreams& streams, TimePoint now) {
  auto oldest = streams.end();
  for (auto stream = streams.begin(); stream != streams.end(); ++stream) {
    if (stream->second.may_send(now) &&
        (oldest == streams.end() || stream->second.order < oldest->second.order)) {
      oldest = stream;
    }
  }
  return oldest;
}

}  // namespace surtitle
