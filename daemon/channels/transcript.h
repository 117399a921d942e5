// The sentences of a channel with their translations.
//
// A transcript is built from the messages of the channel's sender, in the order of their events. It
// keeps a bounded number of finished sentences, changes of policy and heading, and revisions, and
// drops the oldest first. Times are in seconds of the source's clock (protocol::SourceMessage).
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/environment.h"
#include "daemon/protocol/stream_log_format.h"

namespace surtitle {

// A sentence in one track.
struct Rendering {
  std::vector<protocol::Write> writes;
  std::optional<protocol::Sentence> finished;  // set once the sentence is complete

  std::string text() const;
};

struct TranscriptSentence {
  int number = 0;
  std::vector<protocol::SourceMessage> source;  // as received
  std::map<std::string, Rendering> renderings;  // by track, "" for the first
  std::int64_t last_event = 0;                  // of all these messages
  // Of the stream when the sentence began; shared by the sentences under one heading.
  std::shared_ptr<const protocol::Heading> heading = nullptr;

  std::string source_text() const;
  double begin() const;   // time of its first source word, or 0
  double end() const;     // time of its last source word, or 0
  bool finished() const;  // complete in every track that has begun it
};

class Transcript {
 public:
  // `max_sentences`: finished sentences that are kept.
  explicit Transcript(std::size_t max_sentences) : max_sentences_(max_sentences) {}

  // Adds a message. Messages that are not part of a transcript are ignored.
  void add(const protocol::ServerMessage& message);
  // Sets the heading with which the stream began. Later ones are messages.
  void set_heading(protocol::Heading heading);
  const protocol::Heading& heading() const noexcept { return *heading_; }
  // Keeps only the last `max_sentences` sentences, finished or not, and the same number from now
  // on.
  void shrink(std::size_t max_sentences);

  // In the order of their numbers.
  const std::deque<TranscriptSentence>& sentences() const noexcept { return sentences_; }
  bool has_track(const std::string& track) const;

  // Returns the present state as messages, of all tracks or only of `track`. The last `finished`
  // finished sentences have one `source` message, and one write with the whole text per track.
  // Unfinished sentences have all their messages.
  std::vector<protocol::ServerMessage> snapshot(std::size_t finished,
                                                const std::optional<std::string>& track) const;

  // The event of the last message, or 0 if there is none or the stream does not number its events.
  std::int64_t last_event() const noexcept { return last_event_; }
  // Returns all messages with a later event, in order, of all tracks or only of `track`. Returns
  // nullopt if some of them are not kept, if there are more than `most`, or if `event` is later
  // than last_event().
  std::optional<std::vector<protocol::ServerMessage>> after(std::int64_t event,
                                                            const std::optional<std::string>& track,
                                                            std::size_t most) const;

 private:
  TranscriptSentence& sentence(int number, std::int64_t event);
  void add_note(const protocol::ServerMessage& message);
  void trim_first();

  std::size_t max_sentences_;
  std::shared_ptr<const protocol::Heading> heading_ = std::make_shared<protocol::Heading>();
  std::deque<TranscriptSentence> sentences_;
  std::deque<protocol::ServerMessage> notes_;  // of the stream as a whole, not of a sentence
  std::int64_t last_event_ = 0;
  std::int64_t trimmed_through_ = 0;  // the last event that was dropped
};

struct StreamDescription {
  std::string stream;
  std::vector<protocol::Track> tracks;  // as last configured; at least one
  std::string source = {};              // language
  CalendarTime started = {};            // time of its Ready
  protocol::Heading heading = {};       // the latest one

  bool has_track(const std::string& track) const;
};
StreamDescription describe(const stream_log::Head& head);

// A stream and its sentences.
struct TranscribedStream {
  explicit TranscribedStream(std::size_t max_sentences) : transcript(max_sentences) {}

  // Adds a line of the stream's log.
  void add(const stream_log::Line& line);
  // Returns true if the stream was configured with this track, or has words of it.
  bool has_track(const std::string& track) const {
    return description.has_track(track) || transcript.has_track(track);
  }

  StreamDescription description;
  Transcript transcript;
};

// The size of a transcript.
struct TranscriptTotals {
  double seconds = 0;  // from the stream's start to its last word
  std::int64_t sentences = 0;
  std::int64_t source_words = 0;
  std::map<std::string, std::int64_t> words;  // of each track
};
TranscriptTotals totals_of(const Transcript& transcript);

// Returns the track of a message, or nullopt if it concerns all tracks.
std::optional<std::string_view> track_of(const protocol::ServerMessage& message);

}  // namespace surtitle
