// Measures the write delays of one stream of a replay.
//
// A write delay is the time from the cause of a write to its arrival. It includes the network in
// both directions and the daemon's work. The cause is the source message with the last source word
// that the write needed (field `words`). If a write needed the whole sentence and arrived after its
// end, the end is the cause. The end is the message end_sentence or finish, the first word that no
// longer fitted, or the silence.
//
// Thread-safety: none; one owner.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {

class DelayTracker {
 public:
  // `silence`: time without source after which the daemon ends a sentence; 0: never.
  // `language`: of the source, whose rules end sentences.
  explicit DelayTracker(Seconds silence, std::string language = {})
      : silence_(silence), language_(std::move(language)) {}

  // A source message with `words` words was sent.
  void sent(int words, TimePoint now);
  // A message that ends the sentence was sent.
  void ended(TimePoint now);

  void received(const protocol::Write& write, TimePoint now);

  // Completes a sentence. Returns the delays of its writes in milliseconds, in order.
  std::vector<float> complete(const protocol::Sentence& sentence);

  // Returns the target tokens of the open sentence, or of the last one if no sentence is open.
  int tokens() const noexcept { return tokens_; }

 private:
  struct SentWord {
    TimePoint time;
    std::optional<TimePoint> ended;  // time of a message after it that ended the sentence
  };
  struct Received {
    int words = 0;
    TimePoint time;
  };

  std::optional<TimePoint> end_of(const protocol::Sentence& sentence, std::size_t words) const;

  const Seconds silence_;
  const std::string language_;
  std::deque<SentWord> words_;  // sent words of sentences that are not complete
  std::vector<Received> writes_;
  int tokens_ = 0;
};

}  // namespace surtitle
