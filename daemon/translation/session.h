// One stream from `start` to `bye`: what its sender says in, what is to be said and translated out.
//
// A pure state machine: no sockets, no threads, no clock of its own. Every call may leave output,
// which take_output() hands over in order. The source is cut into sentences here, once; each track
// translates all of them (daemon/translation/translation_track.h). What is written depends on the
// source words alone, never on how they were cut into messages or when they came (apart from
// sentences that end by silence).
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/hypothesis_commit.h"
#include "daemon/translation/translation_command.h"
#include "daemon/translation/translation_track.h"
#include "model/text/text_form.h"

namespace surtitle {

// One translation of the stream; the first has no name.
struct TrackOptions {
  std::string name = {};
  TrackSetting setting;
};

struct SessionOptions {
  std::uint64_t stream = 0;          // its part of the sentences' keys
  std::vector<TrackOptions> tracks;  // at least one
  TextForm source_form = TextForm::kWritten;
  int sentence_words = 400;  // of one sentence; the next word starts another
  int message_words = 2000;  // of one message; more would flood the channel's viewers
  int open_sentences = 2;    // of a track in the translator at once
  Seconds silence{2.0};      // without source ends the sentence; 0: never
  int agreement = protocol::kDefaultAgreement;  // of hypotheses in a row, 1 or more
  bool echo = false;                            // as in Start
};

class Session {
 public:
  Session(SessionOptions options, TimePoint ready);

  // A message of the sender other than configure, which comes in by configure(). An error is the
  // stream's end; a start is one, as the stream has begun.
  std::optional<protocol::Error> receive(const protocol::ClientMessage& message, TimePoint now);

  // Of the messages taken: the last that had one.
  std::int64_t last_seq() const noexcept { return last_seq_; }

  // What the translator did for a sentence of this stream. An error is the stream's end.
  std::optional<protocol::Error> translated(const TranslationEvent& event, TimePoint now);

  // As if the sender had said so; nothing where it did already.
  void finish(TimePoint now);

  // From the next sentence on; `track` counts from 0. REQUIRES: there is such a track.
  // `warnings` are told with the change.
  void configure(std::size_t track, TrackSetting setting, std::vector<std::string> warnings = {});
  void configure(TextForm source_form) {
    next_source_form_ = source_form;
    output_.source_form = source_form;
  }
  TextForm next_source_form() const noexcept { return next_source_form_; }

  // The sender was away until now, which is no silence.
  void sender_is_back(TimePoint now) noexcept { back_ = now; }
  // When tick() wants to be called, if at all: the end of a silence.
  std::optional<TimePoint> deadline() const;
  void tick(TimePoint now);

  SessionOutput take_output();

  // Puts what is open into translators that have none of it, as commands of the next output. For a
  // session that was brought here by what happened to it elsewhere.
  void open_again();

  bool finished() const noexcept { return finished_; }  // nothing more may be received
  // All of the source was given and all of it is translated.
  bool complete() const noexcept;

  // Source words taken whose sentence is not complete in all tracks.
  int queued_words() const noexcept;
  int source_words() const noexcept { return source_words_; }  // taken so far
  int revisions() const noexcept { return hypotheses_.revisions(); }

  // What is in the translators and has to be given up when the stream ends early, by model.
  std::map<std::size_t, std::vector<SentenceKey>> open_sentences() const;

 private:
  // A word as one track's model reads it.
  using Encoded = std::vector<std::vector<int>>;  // by track

  std::optional<protocol::Error> refuse(const protocol::ClientMessage& message) const;
  std::optional<protocol::Error> refuse(std::string_view text) const;
  void add_text(std::string_view text, std::optional<double> time, TimePoint now);
  void add_hypothesis(const protocol::Hypothesis& hypothesis, TimePoint now);
  void add_word(std::string_view word, TimePoint now);
  Encoded encode(std::string_view word) const;
  bool too_long(const Encoded& encoded) const;
  bool fits(const Encoded& encoded) const;
  void add_word(std::string_view word, const Encoded& encoded, TimePoint now);
  void show_source();
  void end_sentence(TimePoint now);
  void flush_tracks(TimePoint now);
  void share_sources();
  void open_in_order();
  double clock(TimePoint now) const;
  void say(Audience audience, protocol::ServerMessage message);

  const SessionOptions options_;
  const TimePoint ready_;

  // source
  TextForm source_form_;       // of the open sentence
  TextForm next_source_form_;  // of the next one
  std::int64_t last_seq_ = 0;
  HypothesisCommit hypotheses_;
  std::vector<int> committed_in_;  // of each word that hypotheses_ committed: its sentence
  TimePoint last_source_;
  TimePoint back_;                     // the sender was, at last
  std::string unseen_;                 // words of the open sentence that viewers have yet to see
  double unseen_clock_ = 0;            // of the last of them
  std::optional<double> source_time_;  // the last that the source gave
  int sentence_ = -1;                  // number of the last one
  int sentence_words_ = 0;             // of the open one; 0: none is open
  bool finished_ = false;
  int source_words_ = 0;

  std::vector<TranslationTrack> tracks_;
  SessionOutput output_;
};

}  // namespace surtitle
