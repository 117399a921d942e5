#include "daemon/channels/outgoing_queue.h"

#include <algorithm>
#include <utility>

namespace surtitle {

OutgoingQueue::OutgoingQueue(int most_messages, int most_bytes)
    : most_messages_(static_cast<std::size_t>(most_messages)),
      most_bytes_(static_cast<std::size_t>(most_bytes)) {}

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

// Into one of so many equal shares of the bounds.
bool OutgoingQueue::fits(std::size_t size, std::size_t shares) const noexcept {
  return messages_ < most_messages_ / shares && bytes_ + size <= most_bytes_ / shares;
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
  if (forgotten_ > 0) {
    --forgotten_;
    return;
  }
  --messages_;
  bytes_ -= message.text->size();
}

void OutgoingQueue::clear() {
  waiting_.clear();
  forgotten_ = popped_;
  messages_ = 0;
  bytes_ = 0;
}

bool OutgoingQueue::half_full() const noexcept {
  return messages_ * 2 > most_messages_ || bytes_ * 2 > most_bytes_;
}

}  // namespace surtitle
