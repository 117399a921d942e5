// One translation of a stream: its sentences' words become commands for the batching loop of its
// model, and what was translated becomes messages.
//
// The first few sentences are open in the translator at the same time, so that the next one's
// source is read while the last one is still being written, but what viewers see is in order: a
// sentence's writes are held back until the one before is complete.
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

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/mean_scores.h"
#include "daemon/translation/sentence_state.h"
#include "daemon/translation/translation_command.h"
#include "model/text/text_form.h"
#include "model/text/tokenizer.h"
#include "policies/lag_controller.h"
#include "policies/policy.h"

namespace surtitle {

// What sentences are translated with.
struct TrackSetting {
  std::size_t model = 0;  // its place in the hub's list
  std::string model_name = {};
  Tokenizers tokenizers = {};
  int sentence_tokens = 512;   // that the translator takes
  PolicyPtr policy = nullptr;  // nullptr where `lag` is given
  std::optional<LagController> lag = std::nullopt;
  bool attention = false;  // whether what each step looks at is told
};

enum class Audience { kSender, kViewers, kBoth };

struct Outgoing {
  Audience audience = Audience::kSender;
  protocol::ServerMessage message;
  std::optional<TimePoint> triggered_at;              // of a write: when its last source word came
  std::shared_ptr<const std::string> text = nullptr;  // the message as JSON, where it is known
};

// Scores over words of a sentence that is complete.
struct CompletedScores {
  std::string policy;  // name
  LatencyScores scores;
};

// A sentence has no more words, whoever ended it; for logs.
struct SourceEnd {
  int sentence = 0;
  double time = 0;           // ms since the stream's ready
  std::size_t messages = 0;  // of the output, said before it
};

struct SessionOutput {
  std::vector<Outgoing> messages;
  std::vector<SourceEnd> ends;
  std::map<std::size_t, std::vector<TranslationCommand>> commands;  // by model
  std::vector<CompletedScores> completed;
  std::optional<TextForm> source_form = {};  // from the next sentence on, where it changed
};

class TranslationTrack {
 public:
  struct Key {
    std::uint64_t stream = 0;
    int track = 0;  // of the stream, from 0
  };

  // `name` is empty for a stream's first track. `ready` is the stream's. `open_sentences`: in the
  // translator at once; more only help a stream that is behind.
  TranslationTrack(std::string name, Key key, TrackSetting setting, TimePoint ready,
                   int open_sentences);

  const std::string& name() const noexcept { return name_; }
  const TrackSetting& setting() const noexcept { return *setting_; }

  // From the next sentence on.
  void configure(TrackSetting setting, std::vector<std::string> warnings, SessionOutput& output);

  // --- the open sentence ---
  // Of the next word, for the sentence that it would belong to.
  std::vector<int> encode(std::string_view word) const;
  int sentence_tokens() const { return current().sentence_tokens; }
  // Whether it has room for so many tokens more. REQUIRES: there is one.
  bool fits(std::size_t tokens) const;
  // Begins a sentence where none is open. `clock`: the source's, seconds.
  void add_word(std::string_view word, const std::vector<int>& tokens, double clock, TimePoint now);
  // REQUIRES: there is one.
  void end_sentence(TimePoint now);

  // Hands on what the last calls made possible.
  void flush(TimePoint now, SessionOutput& output);

  void translated(const TranslationEvent& event, TimePoint now, SessionOutput& output);

  // To a translator that has none of this stream's sentences: what the one before was given, and
  // what it wrote.
  void open_again(SessionOutput& output) const;

  bool complete() const noexcept { return sentences_.empty(); }
  // Source words whose sentence is not complete.
  int queued_words() const noexcept { return queued_words_; }

  // What is in a translator and has to be given up when the stream ends early, by model.
  void add_open_sentences(std::map<std::size_t, std::vector<SentenceKey>>& keys) const;

 private:
  using Setting = std::shared_ptr<const TrackSetting>;

  // A sentence that is not complete.
  struct Pending {
    Setting setting;
    PolicyPtr policy;
    SentenceState track;
    std::vector<int> unsent = {};   // source tokens that the translator has not got
    std::vector<int> source = {};   // all of them
    std::size_t emitted = 0;        // of those: whose piece was; the end of sentence is one more
    std::vector<int> written = {};  // target tokens, those held among them
    bool ended = false;             // in the translator
    bool opened = false;            // in the translator
    bool finish_sent = false;
    std::vector<TranslationEvent> held = {};  // until it is this sentence's turn
  };

  bool has_open_sentence() const;
  const TrackSetting& current() const;
  SentenceKey key_of(const Pending& sentence) const;
  void send_commands_of(Pending& sentence, SessionOutput& output);
  void release_in_order(TimePoint now, SessionOutput& output);
  bool write(Pending& sentence, const TranslationEvent& event, TimePoint now,
             SessionOutput& output);
  void emit_write(const SentenceState& track, std::string text, int index, int read, TimePoint now,
                  SessionOutput& output);
  void write_attention(Pending& sentence, const TranslationEvent& event, int index,
                       SessionOutput& output);
  void write_metrics(const SentenceState& track, SessionOutput& output);
  void complete_first(SessionOutput& output);
  void update_lag_controller(const LatencyScores& words, SessionOutput& output);

  const std::string name_;
  const Key key_;
  const TimePoint ready_;
  const std::size_t open_sentences_;

  Setting setting_;                   // of the next sentence
  std::optional<LagController> lag_;  // the setting's, as it moves
  std::deque<Pending> sentences_;     // all but the last have ended
  int next_number_ = 0;
  int queued_words_ = 0;
  MeanScores mean_scores_;
};

}  // namespace surtitle
