// Rebuilds the session of a stream from its history, and hands it over to a new Stream.
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
#include "daemon/streams/stream.h"

namespace surtitle {

class StreamReplayer {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  // All arguments outlive the replayer. Claims the stream's channel.
  StreamReplayer(ServerContext& server, StreamOwner& owner, const StreamHistory& history);
  StreamReplayer(const StreamReplayer&) = delete;
  StreamReplayer& operator=(const StreamReplayer&) = delete;
  ~StreamReplayer() = default;

  // Replays at most `rows` more rows. Returns true once the replay is complete or has failed.
  bool replay(std::size_t rows);
  // Returns the stream, which has no connection, or an error of one sentence. REQUIRES: replay()
  // returned true.
  std::variant<std::shared_ptr<Stream>, std::string> release();

 private:
  std::optional<std::string> begin();
  std::optional<std::string> replay(const JournalRow& row);
  std::optional<StreamEnd> end() const;

  ServerContext& server_;
  StreamOwner& owner_;
  const StreamHistory& history_;
  const protocol::ByeReason reason_;    // of the stream's end
  std::optional<Stream::Parts> parts_;  // nullopt if the replay could not begin
  std::optional<std::string> error_;
  std::size_t next_ = 0;
};

// Replays all rows at once.
std::variant<std::shared_ptr<Stream>, std::string> restore_stream(ServerContext& server,
                                                                  StreamOwner& owner,
                                                                  const StreamHistory& history);

}  // namespace surtitle
