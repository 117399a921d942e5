#include "daemon/client/unacked_queue.h"

#include <algorithm>
#include <variant>

#include "model/text/words.h"

namespace surtitle {
namespace {

int words_in(const protocol::ClientMessage& message) {
  std::size_t words = 0;
  if (const auto* source = std::get_if<protocol::Source>(&message)) {
    words = split_words(source->text).size();
  } else if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    words = split_words(hypothesis->text).size();
  }
  return std::max(1, static_cast<int>(words));
}

}  // namespace

void UnackedQueue::add(protocol::ClientMessage message, bool resumable) {
  const std::int64_t before = seq_;
  if (auto* source = std::get_if<protocol::Source>(&message)) {
    source->seq = ++seq_;
  } else if (auto* hypothesis = std::get_if<protocol::Hypothesis>(&message);
             hypothesis != nullptr && resumable) {
    hypothesis->seq = ++seq_;
  } else if (auto* end = std::get_if<protocol::EndSentence>(&message);
             end != nullptr && resumable) {
    end->seq = ++seq_;
  }
  const int words = words_in(message);
  entries_.push_back({2 * seq_ + (seq_ == before ? 1 : 0), to_json(message), words});
  words_ += words;
}

const std::string* UnackedQueue::next() const {
  return cursor_ < entries_.size() ? &entries_[cursor_].text : nullptr;
}

void UnackedQueue::ack(std::int64_t seq) {
  while (!entries_.empty() && entries_.front().sort_key <= 2 * seq) {
    remove_first();
  }
}

void UnackedQueue::remove_sent() {
  while (cursor_ > 0) {
    remove_first();
  }
}

std::size_t UnackedQueue::rewind(std::int64_t seq) {
  const std::size_t sent = cursor_;
  cursor_ = 0;
  while (cursor_ < entries_.size() && entries_[cursor_].sort_key <= 2 * seq) {
    ++cursor_;
  }
  return sent - std::min(cursor_, sent);
}

void UnackedQueue::remove_first() {
  words_ -= entries_.front().words;
  entries_.pop_front();
  cursor_ -= cursor_ > 0 ? 1 : 0;
}

}  // namespace surtitle
