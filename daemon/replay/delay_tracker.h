// What one stream of a replay sees of the daemon: how long after its cause every write came.
//
// A write's cause is the last source message that it needed: the one with its last source word
// (field `words`). A write that needed all words of a sentence and came after the sentence's end is
// held to have needed the end: the message end_sentence or finish, the word that no longer fitted,
// or the silence. The delay holds both ways over the network and the daemon's whole work.
//
// Thread-safety: none; one owner.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class DelayTracker {
 public:
  // `silence`: after so long without source the daemon ends a sentence; 0: never.
  explicit DelayTracker(Seconds silence) : silence_(silence) {}

  // A source message with `words` words was sent.
  void sent(int words, TimePoint now);
  // A message that ends the sentence was sent.
  void ended(TimePoint now);

  void received(const protocol::Write& write, TimePoint now);

  // The sentence is complete: the delays of its writes in milliseconds, in their order. Words in
  // `sentence` are taken off what was sent.
  std::vector<float> complete(const protocol::Sentence& sentence);

  // Target tokens of the sentence completed last, and of the open one so far.
  int tokens() const noexcept { return tokens_; }

 private:
  struct SentWord {
    TimePoint time;
    std::optional<TimePoint> ended;  // a message right after it ended the sentence
  };
  struct Received {
    int words = 0;
    TimePoint time;
  };

  std::optional<TimePoint> end_of(const protocol::Sentence& sentence, std::size_t words) const;

  const Seconds silence_;
  std::deque<SentWord> words_;  // sent, of sentences that are not complete
  std::vector<Received> writes_;
  int tokens_ = 0;
};

}  // namespace surtitle
