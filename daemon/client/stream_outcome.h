// Determines from the daemon's messages whether a stream ended well.
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
  // Records a message of the daemon and returns it. Returns nullopt for acknowledgements, metrics
  // and invalid messages. The first two are most of the traffic and are not parsed.
  std::optional<protocol::ServerMessage> receive(std::string_view text);

  // `finish` was sent after a message with this seq. A stream that ends after the acknowledgement
  // of this seq has not failed.
  void finish_sent(std::int64_t seq) noexcept { last_seq_ = seq; }

  // The last seq that the daemon acknowledged; 0: none.
  std::int64_t acknowledged() const noexcept { return acked_; }

  // Returns the reason of a failed stream in one sentence, or nullopt if all is translated.
  // `ending` is Client::close_description().
  std::optional<std::string> failure(const std::string& url, const std::string& ending) const;

  // Returns the seconds until the next attempt if the daemon rejected the stream as overloaded.
  std::optional<int> retry_seconds() const noexcept { return retry_seconds_; }

 private:
  std::optional<std::int64_t> last_seq_;
  std::int64_t acked_ = 0;
  std::optional<std::string> error_;
  std::optional<int> retry_seconds_;
  std::optional<protocol::ByeReason> bye_;
};

}  // namespace surtitle
