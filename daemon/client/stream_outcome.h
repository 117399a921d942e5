// Whether a stream ended as it should: told all that the daemon says and how the connection ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/protocol/protocol.h"

namespace surtitle {

// Thread-safety: none; one owner.
class StreamOutcome {
 public:
  // Takes notice of a message of the daemon and returns it; nothing for messages that only confirm
  // (ack, metrics; they are most of the traffic and are not even parsed) and for bad ones.
  std::optional<protocol::ServerMessage> receive(std::string_view text);

  // `finish` was sent after a message with this seq: an end that comes when it is acknowledged is
  // no surprise.
  void finish_sent(std::int64_t seq) noexcept { last_seq_ = seq; }

  // The last seq that the daemon acknowledged; 0: none.
  std::int64_t acknowledged() const noexcept { return acked_; }

  // One sentence that says why the stream failed; nothing where all is translated. `ending` is
  // Client::ending().
  std::optional<std::string> failure(const std::string& url, const std::string& ending) const;

  // The daemon had no time for the stream, and this is when it may come again.
  std::optional<int> retry_seconds() const noexcept { return retry_seconds_; }

 private:
  std::optional<std::int64_t> last_seq_;
  std::int64_t acked_ = 0;
  std::optional<std::string> error_;
  std::optional<int> retry_seconds_;
  std::optional<protocol::ByeReason> bye_;
};

}  // namespace surtitle
