// Restores a stream of another process by a replay of its history.
//
// The replay processes a number of rows at a time. It verifies that the session produces the same
// output, word for word.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class Hub;
class Stream;

class StreamRestoration {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  // Both arguments outlive the restoration. Claims the stream's channel.
  StreamRestoration(Hub& hub, const StreamHistory& history);
  StreamRestoration(const StreamRestoration&) = delete;
  StreamRestoration& operator=(const StreamRestoration&) = delete;
  ~StreamRestoration();

  // Replays at most `rows` more rows. Returns true once the replay is complete or has failed.
  bool go_on(std::size_t rows);
  // Returns the stream, which has no connection, or an error of one sentence. REQUIRES: go_on()
  // returned true.
  std::variant<std::shared_ptr<Stream>, std::string> release();

 private:
  std::optional<std::string> begin();

  Hub& hub_;
  const StreamHistory& history_;
  const protocol::ByeReason reason_;  // of the stream's end
  std::shared_ptr<Stream> stream_;
  std::optional<std::string> error_;
  std::size_t next_ = 0;
  bool complete_ = false;
};

// Replays all rows at once.
std::variant<std::shared_ptr<Stream>, std::string> restore_stream(Hub& hub,
                                                                  const StreamHistory& history);

}  // namespace surtitle
