// What was said on a channel and how it was translated, as far as it is kept.
//
// Fed with the messages of the channel's sender. Finished sentences are kept up to a bound, the
// oldest go first. Times are those of the source's own clock (protocol::SourceWords).
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol.h"

namespace surtitle {

// A sentence in one track.
struct Rendering {
  std::vector<protocol::Write> writes;
  std::optional<protocol::Sentence> finished;  // once it is complete

  std::string text() const;
};

struct SaidSentence {
  int number = 0;
  std::vector<protocol::SourceWords> source;    // as it came
  std::map<std::string, Rendering> renderings;  // by track, "" the first

  std::string source_text() const;
  bool finished() const;  // in every track that has begun it
};

class Transcript {
 public:
  // `most_sentences`: finished ones that are kept.
  explicit Transcript(std::size_t most_sentences) : most_sentences_(most_sentences) {}

  // Other messages are ignored.
  void take(const protocol::ServerMessage& message);
  void clear() { sentences_.clear(); }

  const std::deque<SaidSentence>& sentences() const noexcept { return sentences_; }  // by number
  bool has_track(const std::string& track) const;

  // The messages that show where things stand: the last `finished` complete sentences, each as its
  // source, one write with all of its text and its end, and all messages of the others. Of one
  // track alone where it is given.
  std::vector<protocol::ServerMessage> snapshot(std::size_t finished,
                                                const std::optional<std::string>& track) const;

 private:
  SaidSentence& sentence(int number);
  void forget_oldest();

  const std::size_t most_sentences_;
  std::deque<SaidSentence> sentences_;
};

// The track that a message belongs to; nothing for those that concern all.
std::optional<std::string_view> track_of(const protocol::ServerMessage& message);

}  // namespace surtitle
