#include "daemon/streams/commit_queue.h"

#include <iterator>
#include <utility>

#include "daemon/journal/journal.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxWaiting = 1024;
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

}  // namespace

void CommitQueue::push(JournalEntry entry, PendingOutput output) {
  const std::size_t bytes = entry.row->input.size() + entry.row->lines.size();
  waiting_.push_back({std::move(output), bytes});
  try {
    journal_->append(number_, std::move(entry));
  } catch (...) {
    waiting_.pop_back();  // which has one element for each uncommitted row
    throw;
  }
  begun_ = true;
  bytes_ += bytes;
}

bool CommitQueue::join(std::vector<Outgoing>& messages) {
  if (waiting_.empty()) {
    return false;
  }
  std::vector<Outgoing>& newest = waiting_.back().output.messages;
  newest.insert(newest.end(), std::make_move_iterator(messages.begin()),
                std::make_move_iterator(messages.end()));
  return true;
}

std::optional<PendingOutput> CommitQueue::pop() noexcept {
  if (waiting_.empty()) {
    return std::nullopt;
  }
  Waiting oldest = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= oldest.bytes;
  return std::move(oldest.output);
}

void CommitQueue::clear() noexcept {
  waiting_.clear();
  bytes_ = 0;
}

bool CommitQueue::full() const noexcept {
  return waiting_.size() >= kMaxWaiting || bytes_ >= kMaxBytes;
}

}  // namespace surtitle
