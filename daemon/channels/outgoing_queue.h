// The outgoing messages of a connection, bounded in number and in bytes.
//
// A message counts from push() until written(). Messages that do not count, such as a snapshot or a
// last error, may exceed the bounds.
//
// Droppable messages have a quarter of the bounds: a slow consumer is sent fewer of them, and is
// never disconnected because of them. A self-limiting caller pushes without bounds and stops its
// input while more_than_half_full().
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
  // The socket has accepted a popped message. Call in the order of pop().
  void written(const OutgoingText& message);
  // Drops all messages that wait, and no longer counts those that were popped.
  void clear();

  int messages() const noexcept { return static_cast<int>(waiting_.size()); }
  bool empty() const noexcept { return waiting_.empty(); }
  // Returns true if the queue is more than half full.
  bool more_than_half_full() const noexcept;

 private:
  bool fits(std::size_t size, std::size_t shares) const noexcept;

  const std::size_t max_messages_;
  const std::size_t max_bytes_;
  std::deque<OutgoingText> waiting_;
  std::size_t popped_ = 0;             // popped messages that count and are not written yet
  std::size_t cleared_in_flight_ = 0;  // the first of these, which count no more since clear()
  std::size_t messages_ = 0;           // messages that count
  std::size_t bytes_ = 0;              // of these messages
};

}  // namespace surtitle
