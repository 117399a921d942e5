// The messages that wait for a connection to be written, bounded in number and in bytes.
//
// Messages that do not count (a late viewer's snapshot, a last farewell) pass the bounds. A message
// counts from push() until written().
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <deque>

#include "daemon/connection.h"

namespace surtitle {

class OutgoingQueue {
 public:
  OutgoingQueue(int most_messages, int most_bytes);

  // False where the message would pass a bound; it is not taken then.
  bool push(OutgoingText message);
  // REQUIRES: not empty.
  OutgoingText pop();
  // A message that was popped is with the socket now.
  void written(const OutgoingText& message);
  // Drops all that waits and counts nothing any more.
  void clear();

  int messages() const noexcept { return static_cast<int>(waiting_.size()); }
  bool empty() const noexcept { return waiting_.empty(); }
  bool half_full() const noexcept;

 private:
  const std::size_t most_messages_;
  const std::size_t most_bytes_;
  std::deque<OutgoingText> waiting_;
  std::size_t messages_ = 0;  // that count
  std::size_t bytes_ = 0;
};

}  // namespace surtitle
