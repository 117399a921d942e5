// Session: the state machine of one stream, from `start` to `bye`.
//
// It has no socket, no thread and no clock. Its inputs are the sender's messages and the
// translators' events. Every call may produce output (messages and translator commands), which
// take_output() returns in order.
//
// The session divides the source into sentences (README.md), and each track translates all of them
// (translation_track.h). The translation depends on the source words alone. It never depends on
// their division into messages, nor on arrival times, except for sentences that end by silence.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/capitals.h"
#include "daemon/translation/hypothesis_commit.h"
#include "daemon/translation/sentence_limit.h"
#include "daemon/translation/sentence_splitter.h"
#include "daemon/translation/source_clock.h"
#include "daemon/translation/start_watch.h"
#include "daemon/translation/translation_command.h"
#include "daemon/translation/translation_track.h"
#include "model/text/text_form.h"

namespace surtitle {

// A target language of the stream. The first track has no name.
struct TrackOptions {
  std::string name = {};
  TrackSetting setting;
};

struct SessionOptions {
  std::uint64_t stream = 0;          // the stream's number in the keys of sentences
  std::vector<TrackOptions> tracks;  // at least one
  std::string source_language = {};  // "de"; its rules end the sentences
  TextForm source_form = TextForm::kWritten;
  int sentence_words = 100;  // limit for one sentence; the next word begins a new one
  int message_words = 2000;  // limit for one message, as more would flood the viewers
  int open_sentences = 2;    // limit for one track's sentences in the translator
  Seconds silence{2.0};      // time without source that ends a sentence; 0: off
  int agreement = protocol::kDefaultAgreement;  // hypotheses in a row that must agree, 1 or more
  bool echo = false;                            // as in Start
  std::string target_prefix = {};               // as in Start, for the first track
  std::shared_ptr<const TermList> masks = nullptr;  // of the source; nullptr: none
};

class Session {
 public:
  Session(SessionOptions options, TimePoint ready);

  // Handles a message of the sender other than `configure`, for which configure() is called. A
  // returned error ends the stream. A `start` is an error, as the stream has begun already.
  std::optional<protocol::Error> receive(const protocol::ClientMessage& message, TimePoint now);

  // The `seq` of the last accepted message that had one; 0 at first.
  std::int64_t last_seq() const noexcept { return last_seq_; }

  // Handles a translator's event of a sentence of this stream. A returned error ends the stream.
  std::optional<protocol::Error> translated(const TranslationEvent& event, TimePoint now);

  // Acts as if the sender had sent `finish`. Does nothing if it has.
  void finish(TimePoint now);

  // Changes a track's setting, or the form of the source, from the next sentence on. `warnings` are
  // sent with the change. REQUIRES: track number `track` (from 0) exists.
  void configure(std::size_t track, TrackSetting setting, std::vector<std::string> warnings = {});
  void configure(TextForm source_form) {
    next_source_form_ = source_form;
    output_.source_form = source_form;
  }
  TextForm next_source_form() const noexcept { return next_source_form_; }
  // As above, for the terms of a track and the masks of the source, without a message.
  void configure(std::size_t track, std::shared_ptr<const TermList> terms) {
    tracks_[track].configure(std::move(terms));
  }
  void configure(std::shared_ptr<const TermList> masks) { next_masks_ = std::move(masks); }

  // The stream was attached again. The time while it was detached is no silence.
  void sender_is_back(TimePoint now) noexcept { back_ = now; }
  // Returns the end of the current silence, at which on_deadline() must be called, or nullopt.
  // While words wait for a model there is no silence.
  std::optional<TimePoint> deadline() const;
  void on_deadline(TimePoint now);

  // Returns the output since the last call.
  SessionOutput take_output();

  // Adds commands to the output that open the incomplete sentences in translators that do not have
  // them, as after a replay of the stream's history.
  void open_again();

  bool finished() const noexcept { return finished_; }  // no further source is accepted
  // Whether words wait for a model to tell if they begin a sentence.
  bool holds_words() const noexcept { return !watch_.empty(); }
  // Whether the source is finished and all of it is translated.
  bool complete() const noexcept;

  // The number of received source words whose sentence is not complete in all tracks, as words of
  // speech (words_of_speech.h).
  int queued_words() const noexcept;
  int source_words() const noexcept { return source_words_; }  // in sentences so far
  // Returns the number of tokens of these words. For each word, the track with the
  // most tokens counts.
  int source_pieces() const noexcept { return source_pieces_; }
  int revisions() const noexcept { return hypotheses_.revisions(); }

  // Returns the sentences in the translators, by model. They must be closed there if the stream
  // ends early.
  std::map<std::size_t, std::vector<SentenceKey>> open_sentences() const;

 private:
  // The tokens of a word, by track.
  using Encoded = std::vector<std::vector<int>>;

  std::optional<protocol::Error> refuse(const protocol::ClientMessage& message) const;
  std::optional<protocol::Error> refuse(std::string_view text) const;
  void add_text(std::string_view text, std::optional<double> time, TimePoint now);
  void add_words(std::string_view text, TimePoint now);
  void add_hypothesis(const protocol::Hypothesis& hypothesis, TimePoint now);
  void read_tails();
  void read_ahead(std::string_view text);
  void add_next_word(StartWatch::Word word);
  // Adds the waiting words to sentences, up to one whose probability is not known yet.
  void place_words();
  void place(const StartWatch::Word& word);
  void begin_watch(const Encoded& encoded);
  void ask_watch();
  // Returns the limit of the open sentence, or of the next one if none is open.
  SentenceLimit new_limit() const;
  void add_word(std::string_view word, const WordTime& time, const WordRun& run = {});
  Encoded encode(std::string_view word, const WordRun& run) const;
  TextForm open_form() const;
  std::string shown(std::string_view word) const;
  std::string shown_text(const std::string& text) const;
  bool too_long(const Encoded& encoded) const;
  bool fits(const Encoded& encoded) const;
  void add_word(std::string_view word, const Encoded& encoded, const WordTime& time);
  void show_source();
  // Ends the sentence behind the words that wait.
  void request_end(TimePoint now);
  void end_sentence(TimePoint now);
  void flush_tracks(TimePoint now);
  void share_sources();
  void open_in_order();
  double source_time(std::optional<double> given, TimePoint now);
  void emit(Audience audience, protocol::ServerMessage message);

  const SessionOptions options_;
  const TimePoint ready_;

  // source
  TextForm source_form_;                        // of the open sentence
  TextForm next_source_form_;                   // of the next sentence
  std::shared_ptr<const TermList> masks_;       // of the open sentence
  std::shared_ptr<const TermList> next_masks_;  // of the next sentence
  std::int64_t last_seq_ = 0;
  HypothesisCommit hypotheses_;
  Capitals capitals_;
  bool in_capitals_ = false;  // the word that is being added is of a text in capitals
  SentenceSplitter splitter_;
  SentenceLimit limit_;
  bool undivided_;  // no stop ends the sentence before the message does
  StartWatch watch_;
  std::size_t watched_track_ = 0;   // whose model watches
  std::vector<std::string> tails_;  // that wait for the words before them
  // The sentence of each word that hypotheses_ has committed; kWaits if that is not known yet.
  std::vector<int> committed_in_;
  int hypothesis_ = 0;  // number of the hypothesis that has these words
  TimePoint last_source_;
  TimePoint back_;        // when the stream was last attached again
  std::string unseen_;    // words of the open sentence that are not in the output yet
  WordTime unseen_time_;  // of the last of them
  SourceClock source_clock_;
  double word_time_ = 0;    // of the words of the last message, on the source's clock
  int sentence_ = -1;       // number of the last sentence
  int sentence_words_ = 0;  // of the open sentence; 0: none is open
  bool finished_ = false;
  int source_words_ = 0;
  int source_pieces_ = 0;

  std::vector<TranslationTrack> tracks_;
  SessionOutput output_;
};

}  // namespace surtitle
