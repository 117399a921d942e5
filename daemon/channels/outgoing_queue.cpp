#include "daemon/channels/outgoing_queue.h"

#include <algorithm>
#include <utility>

namespace surtitle {

OutgoingQueue::OutgoingQueue(int max_messages, int max_bytes)
    : max_messages_(static_cast<std::size_t>(max_messages)),
      max_bytes_(static_cast<std::size_t>(max_bytes)) {}

bool OutgoingQueue::push(OutgoingText message, Bound bound) {
  if (message.counted) {
    const std::size_t size = message.text->size();
    const bool bounded = message.droppable || bound == Bound::kAll;
    if (bounded && !fits(size, message.droppable ? 4 : 1)) {
      return message.droppable;
    }
    ++messages_;
    bytes_ += size;
  }
  waiting_.push_back(std::move(message));
  return true;
}

// Returns true if the message fits into the bounds divided by `shares`.
bool OutgoingQueue::fits(std::size_t size, std::size_t shares) const noexcept {
  return messages_ < max_messages_ / shares && bytes_ + size <= max_bytes_ / shares;
}

OutgoingText OutgoingQueue::pop() {
  OutgoingText message = std::move(waiting_.front());
  waiting_.pop_front();
  popped_ += message.counted ? 1 : 0;
  return message;
}

void OutgoingQueue::written(const OutgoingText& message) {
  if (!message.counted) {
    return;
  }
  --popped_;
  if (cleared_in_flight_ > 0) {
    --cleared_in_flight_;
    return;
  }
  --messages_;
  bytes_ -= message.text->size();
}

void OutgoingQueue::clear() {
  waiting_.clear();
  cleared_in_flight_ = popped_;
  messages_ = 0;
  bytes_ = 0;
}

bool OutgoingQueue::more_than_half_full() const noexcept {
  return messages_ * 2 > max_messages_ || bytes_ * 2 > max_bytes_;
}

}  // namespace surtitle
