// One stream from `start` to `bye`: what its sender says in, what is to be said and translated out.
//
// A pure state machine: no sockets, no threads, no clock of its own. Every call may leave output,
// which take_output() hands over in order. Sentences queue up; the first few are open in the
// translator at the same time, so that the next one's source is read while the last one is still
// being written, but what viewers see is in order: a sentence's writes are held back until the one
// before is complete. What is written depends on the source words alone, never on how they were cut
// into messages or when they came (apart from sentences that end by silence).
//
// Thread-safety: none; one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/clock.h"
#include "daemon/hypothesis_commit.h"
#include "daemon/mean_scores.h"
#include "daemon/protocol.h"
#include "daemon/sentence_track.h"
#include "daemon/translation.h"
#include "model/tokenizer.h"
#include "policies/policy.h"

namespace surtitle {

struct SessionOptions {
  std::uint64_t stream = 0;  // the stream's part of its sentence keys
  PolicyPtr policy;
  Tokenizers tokenizers;
  int sentence_words = 400;   // of one sentence; the next word starts another
  int sentence_tokens = 512;  // likewise; what the translator takes
  int message_words = 2000;   // of one message; more would flood the channel's viewers
  int open_sentences = 2;     // in the translator at once; more only help a stream that is behind
  Seconds silence{2.0};       // without source ends the sentence; 0: never
  int agreement = protocol::kDefaultAgreement;  // of hypotheses in a row, 1 or more
};

enum class Audience { kSender, kViewers, kBoth };

struct Outgoing {
  Audience audience = Audience::kSender;
  protocol::ServerMessage message;
  std::optional<TimePoint> cause;  // of a write: when the source came that made it possible
};

struct SessionOutput {
  std::vector<Outgoing> messages;
  std::vector<TranslationCommand> commands;
};

class Session {
 public:
  Session(SessionOptions options, TimePoint ready);

  // A message of the sender. An error is the stream's end; a start is one, as the stream has begun.
  std::optional<protocol::Error> receive(const protocol::ClientMessage& message, TimePoint now);

  // What the translator did for a sentence of this stream. An error is the stream's end.
  std::optional<protocol::Error> translated(const TranslationEvent& event, TimePoint now);

  // As if the sender had said so; nothing where it did already.
  void finish(TimePoint now);

  // When tick() wants to be called, if at all: the end of a silence.
  std::optional<TimePoint> deadline() const;
  void tick(TimePoint now);

  SessionOutput take_output();

  // All of the source was given and all of it is translated.
  bool complete() const noexcept { return finished_ && sentences_.empty(); }

  // Source words taken whose sentence is not complete.
  int queued_words() const noexcept { return queued_words_; }
  int source_words() const noexcept { return source_words_; }  // taken so far
  int revisions() const noexcept { return hypotheses_.revisions(); }

  // Scores over words of the sentences completed since the last call.
  std::vector<LatencyScores> take_completed_scores();

  // What is in the translator and has to be given up when the stream ends early.
  std::vector<SentenceKey> open_sentences() const;

 private:
  // A sentence that is not complete.
  struct Pending {
    SentenceTrack track;
    std::vector<int> unsent;  // source tokens that the translator has not got
    bool opened = false;      // in the translator
    bool finish_sent = false;
    std::vector<TranslationEvent> held;  // until it is this sentence's turn
  };

  std::optional<protocol::Error> refuse(std::string_view text) const;
  void take_text(std::string_view text, std::optional<double> time, TimePoint now);
  void take_hypothesis(const protocol::Hypothesis& hypothesis, TimePoint now);
  void take_word(std::string_view word, TimePoint now);
  void add_word(std::string_view word, const std::vector<int>& tokens, TimePoint now);
  void show_source();
  void end_sentence(TimePoint now);
  bool has_open_sentence() const;

  void send_commands(TimePoint now);
  void send_commands_of(Pending& sentence);
  void take_turn(TimePoint now);
  bool write(Pending& sentence, const TranslationEvent& event, TimePoint now);
  void write_text(const SentenceTrack& track, std::string text, int index, int read, TimePoint now);
  void write_metrics(const SentenceTrack& track);
  void complete_first();
  void say(Audience audience, protocol::ServerMessage message,
           std::optional<TimePoint> cause = std::nullopt);
  double milliseconds(TimePoint now) const;

  const SessionOptions options_;
  const TimePoint ready_;

  // source
  std::int64_t last_seq_ = 0;
  HypothesisCommit hypotheses_;
  std::vector<int> committed_in_;  // of each word that hypotheses_ committed: its sentence
  TimePoint last_source_;
  std::string unseen_;                 // words of the open sentence that viewers have yet to see
  std::optional<double> source_time_;  // of the message that is being taken
  bool finished_ = false;
  int source_words_ = 0;
  int queued_words_ = 0;

  // translation
  std::deque<Pending> sentences_;  // all but the last have ended
  int next_number_ = 0;
  MeanScores mean_scores_;
  std::vector<LatencyScores> completed_scores_;

  SessionOutput output_;
};

}  // namespace surtitle
