// A stream of another process on its way here: what its story tells happens again, some of it at a
// time where it is long. What was said then must be said now, word for word.
//
// Thread-safety: none; the network thread's own.
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

  // Both outlive it. The stream has its channel from here on.
  StreamRestoration(Hub& hub, const JournaledStory& story);
  StreamRestoration(const StreamRestoration&) = delete;
  StreamRestoration& operator=(const StreamRestoration&) = delete;
  ~StreamRestoration();

  // So many more rows. True: there is no more to do.
  bool go_on(std::size_t rows);
  // The stream, without a connection. An error is one sentence. REQUIRES: go_on() has said true.
  std::variant<std::shared_ptr<Stream>, std::string> take();

 private:
  std::optional<std::string> begin();

  Hub& hub_;
  const JournaledStory& story_;
  const protocol::ByeReason reason_;  // of its end
  std::shared_ptr<Stream> stream_;
  std::optional<std::string> error_;
  std::size_t next_ = 0;
  bool complete_ = false;
};

// All of it at once.
std::variant<std::shared_ptr<Stream>, std::string> restore_stream(Hub& hub,
                                                                  const JournaledStory& story);

}  // namespace surtitle
