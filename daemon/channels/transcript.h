// What was said on a channel and how it was translated, as far as it is kept.
//
// Fed with the messages of the channel's sender, by event in order. Finished sentences are kept up
// to a bound, the oldest go first; changes of policy and revisions likewise. Times are those of the
// source's own clock (protocol::SourceMessage).
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"

namespace surtitle {

// A sentence in one track.
struct Rendering {
  std::vector<protocol::Write> writes;
  std::optional<protocol::Sentence> finished;  // once it is complete

  std::string text() const;
};

struct TranscriptSentence {
  int number = 0;
  std::vector<protocol::SourceMessage> source;  // as it came
  std::map<std::string, Rendering> renderings;  // by track, "" the first
  std::int64_t last_event = 0;                  // of all these messages

  std::string source_text() const;
  bool finished() const;  // in every track that has begun it
};

class Transcript {
 public:
  // `max_sentences`: finished ones that are kept.
  explicit Transcript(std::size_t max_sentences) : max_sentences_(max_sentences) {}

  // Adds a message. Messages that say nothing of the transcript are ignored.
  void add(const protocol::ServerMessage& message);
  // From now on keeps no more than the last so many sentences, whether finished or not.
  void shrink(std::size_t max_sentences);

  const std::deque<TranscriptSentence>& sentences() const noexcept {
    return sentences_;
  }  // by number
  bool has_track(const std::string& track) const;

  // The messages that show where things stand: the last `finished` complete sentences, each as its
  // source, one write with all of its text and its end, and all messages of the others. Of one
  // track alone where it is given.
  std::vector<protocol::ServerMessage> snapshot(std::size_t finished,
                                                const std::optional<std::string>& track) const;

  // Of what it took last; 0: nothing, or its stream keeps no count.
  std::int64_t last_event() const noexcept { return last_event_; }
  // Every message with a later event, in order; of one track alone where it is given. Nothing where
  // some of them are not kept, or are more than `most`, or the event has never been.
  std::optional<std::vector<protocol::ServerMessage>> after(std::int64_t event,
                                                            const std::optional<std::string>& track,
                                                            std::size_t most) const;

 private:
  TranscriptSentence& sentence(int number, std::int64_t event);
  void add_note(const protocol::ServerMessage& message);
  void trim_first();

  std::size_t max_sentences_;
  std::deque<TranscriptSentence> sentences_;
  std::deque<protocol::ServerMessage> notes_;  // that belong to the stream, not to a sentence
  std::int64_t last_event_ = 0;
  std::int64_t trimmed_through_ = 0;  // the last event that was trimmed
};

// The track that a message belongs to; nothing for those that concern all.
std::optional<std::string_view> track_of(const protocol::ServerMessage& message);

}  // namespace surtitle
