// The messages of a stream that the daemon has not acknowledged, in order.
//
// They are sent again on the next connection.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "daemon/protocol/protocol.h"

namespace surtitle {

class UnackedQueue {
 public:
  // Appends a message and gives it the next seq: `source` always, `hypothesis` and `end_sentence`
  // only if the stream can be resumed.
  void add(protocol::ClientMessage message, bool resumable);

  // The next message to send on this connection, or nullptr if all are sent. Valid until the next
  // call.
  const std::string* next() const;
  void sent() { ++cursor_; }
  // Removes all messages up to this seq: they are acknowledged.
  void ack(std::int64_t seq);
  // Removes all messages that were sent. For a stream that ends with its connection.
  void remove_sent();
  // Moves back on a new connection: all messages after this seq will be sent again. Returns how
  // many of them were sent on the last connection.
  std::size_t rewind(std::int64_t seq);

  // Words that wait; a message without words counts as one.
  int words() const noexcept { return words_; }
  std::int64_t last_seq() const noexcept { return seq_; }

 private:
  struct Entry {
    // 2 * seq. For a message without a seq, 2 * (seq of the message before) + 1. It is then removed
    // with the next seq, not with the one before.
    std::int64_t sort_key = 0;
    std::string text;
    int words = 0;
  };
  void remove_first();

  std::deque<Entry> entries_;
  std::size_t cursor_ = 0;  // index of the next entry to send
  std::int64_t seq_ = 0;
  int words_ = 0;
};

}  // namespace surtitle
