// The outgoing messages of a connection, bounded in number and in bytes.
//
// Messages that do not count (a late viewer's snapshot, a last error) may exceed the bounds. A
// message counts from push() until written(). Droppable messages have a quarter of the bounds: a
// slow consumer is sent fewer of them, and is never disconnected because of them. A caller whose
// input is limited may push without bounds; above_low_watermark() says when to stop its input.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <deque>

#include "daemon/channels/connection.h"

namespace surtitle {

class OutgoingQueue {
 public:
  OutgoingQueue(int max_messages, int max_bytes);

  enum class Bound { kAll, kNone };
  // Returns false, and does not queue the message, if it would exceed a bound. A droppable message
  // without room is left out, and that counts as success.
  bool push(OutgoingText message, Bound bound = Bound::kAll);
  // REQUIRES: not empty.
  OutgoingText pop();
  // A message that was popped is with the socket now; in the order of pop().
  void written(const OutgoingText& message);
  // Drops all that waits and counts nothing any more.
  void clear();

  int messages() const noexcept { return static_cast<int>(waiting_.size()); }
  bool empty() const noexcept { return waiting_.empty(); }
  // Whether the queue is half full or more.
  bool above_low_watermark() const noexcept;

 private:
  bool fits(std::size_t size, std::size_t shares) const noexcept;

  const std::size_t max_messages_;
  const std::size_t max_bytes_;
  std::deque<OutgoingText> waiting_;
  std::size_t popped_ = 0;             // messages that count and are not written yet
  std::size_t cleared_in_flight_ = 0;  // the first of these, which clear() no longer counts
  std::size_t messages_ = 0;           // that count
  std::size_t bytes_ = 0;
};

}  // namespace surtitle
