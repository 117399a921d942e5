// What a stream's sender said and the daemon has not acknowledged, in order; it goes out again
// after a cut.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "daemon/protocol/protocol.h"

namespace surtitle {

class Untaken {
 public:
  // Takes a message and gives it the next seq: `source` always; `hypothesis` and `end_sentence`
  // where the stream can be resumed, as else they need none.
  void add(protocol::ClientMessage message, bool resumable);

  // What is to go out next on this connection; nullptr where all has. Valid until the next call.
  const std::string* next() const;
  void sent() { ++cursor_; }
  // All up to this seq is acknowledged and forgotten.
  void taken(std::int64_t seq);
  // Of a stream that ends with its connection: whatever was sent is forgotten.
  void forget_sent();
  // On another connection all after this seq is to be sent. Returns how many messages of that had
  // gone out on the last one.
  std::size_t go_back(std::int64_t seq);

  // What waits, a message without words counted as one.
  int words() const noexcept { return words_; }
  std::int64_t last_seq() const noexcept { return seq_; }

 private:
  struct Entry {
    std::int64_t place = 0;  // twice its seq; without one, one more than that of the last
    std::string text;
    int words = 0;
  };
  void forget_first();

  std::deque<Entry> entries_;
  std::size_t cursor_ = 0;  // in those: the next to send
  std::int64_t seq_ = 0;
  int words_ = 0;
};

}  // namespace surtitle
