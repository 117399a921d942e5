// One target language of a stream: source words in, messages out.
//
// Several sentences are open in the translator at the same time, but messages are in order. The
// writes of a sentence are held until the sentence before it is complete.
//
// A model may end its translation before it has seen the last words of the source. These are
// translated in another pass of the same sentence. A sentence without text (sentence_content.h), or
// of characters that the vocabulary lacks, is copied, with its marks in the target language.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/mean_scores.h"
#include "daemon/translation/sentence_content.h"
#include "daemon/translation/sentence_state.h"
#include "daemon/translation/term_list.h"
#include "daemon/translation/translation_command.h"
#include "model/package/trained_words.h"
#include "model/text/text_form.h"
#include "model/text/tokenizer.h"
#include "policies/lag_controller.h"
#include "policies/policy.h"

namespace surtitle {

// The model and the policy of a track's sentences.
struct TrackSetting {
  std::size_t model = 0;  // index in the daemon's list of models
  std::string model_name = {};
  std::string source_language = {};
  std::string target_language = {};
  int target = 0;  // index of the language in ModelInfo::target_languages()
  Tokenizers tokenizers = {};
  int sentence_tokens = 512;                 // the translator's limit for one sentence
  int trained_words = kDefaultTrainedWords;  // as in ModelInfo
  bool watches_starts = false;               // as in ModelInfo
  PolicyPtr policy = nullptr;                // nullptr if `lag` is given
  std::optional<LagController> lag = std::nullopt;
  bool attention = false;                           // whether the attention of each step is sent
  std::shared_ptr<const TermList> terms = nullptr;  // of the glossary, if there is one
  std::vector<std::string> placeholders = {};       // as in ModelInfo
};

enum class Audience { kSender, kViewers, kBoth };

struct Outgoing {
  Audience audience = Audience::kSender;
  protocol::ServerMessage message;
  std::optional<TimePoint> triggered_at;              // of a write: arrival of its last source word
  std::shared_ptr<const std::string> text = nullptr;  // the message as JSON, if it is known
};

// The scores of a complete sentence, in words.
struct CompletedScores {
  std::string policy;  // the policy's name
  LatencyScores scores;
  int untranslated = 0;  // source words that the translation left out
  int terms = 0;         // of the glossary, in the source
  int written_terms = 0;
  // On the source's clock, in seconds.
  LatencyScores speech = {};
  LatencyScores aware_speech = {};  // computation aware
};

// The end of a sentence's source, for stream logs.
struct SourceEnd {
  int sentence = 0;
  double time = 0;           // ms since the stream's ready
  std::size_t messages = 0;  // number of messages of the output that precede it
};

struct SessionOutput {
  std::vector<Outgoing> messages;
  std::vector<SourceEnd> ends;
  std::map<std::size_t, std::vector<TranslationCommand>> commands;  // by model
  std::vector<CompletedScores> completed;
  std::optional<TextForm> source_form = {};  // from the next sentence on, if it changed
};

class TranslationTrack {
 public:
  struct Key {
    std::uint64_t stream = 0;
    int track = 0;  // of the stream, from 0
  };

  // `name` is empty for a stream's first track. `prefix`: with which the first sentence begins.
  // `ready`: the time of the stream's ready message. `open_sentences`: limit in the translator; a
  // larger one only helps a stream that is behind.
  TranslationTrack(std::string name, Key key, TrackSetting setting, TimePoint ready,
                   int open_sentences, std::string prefix = {});

  const std::string& name() const noexcept { return name_; }
  const TrackSetting& setting() const noexcept { return *setting_; }

  // Changes the setting from the next sentence on, and adds a message about it.
  void configure(TrackSetting setting, std::vector<std::string> warnings, SessionOutput& output);

  // As above, for the terms of the glossary, without a message.
  void configure(std::shared_ptr<const TermList> terms);

  // --- the open sentence ---
  // Returns the tokens of the next word, which belongs to the open sentence, or begins one.
  std::vector<int> encode(std::string_view word) const;
  // The same for a word of a run (model/text/word_runs.h). `begins`: the run begins the sentence.
  std::vector<int> encode(std::span<const std::string> run, std::size_t place, bool begins) const;
  int sentence_tokens() const { return current().sentence_tokens; }
  // Returns the setting of the open sentence, or of the next one if none is open.
  const TrackSetting& current() const;
  // Whether the open sentence has room for this number of tokens. REQUIRES: a sentence is open.
  bool fits(std::size_t tokens) const;
  // Adds a word, and begins a sentence if none is open. `clock`: the source's, in seconds. The word
  // is held while it may be part of a longer term.
  void add_word(std::string_view word, const std::vector<int>& tokens, TextForm form, double clock,
                TimePoint now);
  // REQUIRES: a sentence is open.
  void end_sentence(TimePoint now);
  // Adds the commands and messages that the last calls allow.
  void flush(TimePoint now, SessionOutput& output);

  // A word with its tokens.
  struct Word {
    std::string text;
    std::vector<int> tokens;
    double clock = 0;
    TimePoint arrival = {};
  };

  // Lets the translator read words ahead of the open sentence's. The answer is a message.
  void read_ahead(std::vector<Word> words, TextForm form, SessionOutput& output);

  // Handles an event of the batching loop.
  void translated(const TranslationEvent& event, TimePoint now, SessionOutput& output);

  // Adds commands that open the incomplete sentences in a translator that has none of them, with
  // their source and the tokens written so far.
  void open_again(SessionOutput& output) const;

  bool complete() const noexcept { return sentences_.empty(); }
  // The number of source words whose sentence is not complete, as words of speech.
  int queued_words() const noexcept { return queued_words_; }

  // Adds the sentences in the translator, by model. They must be closed there if the stream ends
  // early.
  void add_open_sentences(std::map<std::size_t, std::vector<SentenceKey>>& keys) const;

 private:
  using Setting = std::shared_ptr<const TrackSetting>;

  // A sentence that is not complete.
  struct Pending {
    Setting setting;
    PolicyPtr policy;
    SentenceState state;
    std::deque<Word> held_words = {};  // that may be part of a longer term
    std::vector<int> unsent = {};      // source tokens that the translator has not received
    std::vector<int> source = {};      // all source tokens
    std::size_t emitted = 0;        // source pieces sent with attention, end of sentence included
    std::vector<int> written = {};  // target tokens of the pass, including those of held events
    std::string prefix = {};        // text of the first of them, until it is a message
    int pass_begin = 0;             // source token with which the pass begins
    int pass_read = 0;              // source tokens of the pass that its last write has seen
    SentenceContent content = {};
    std::vector<int> unknown = {};  // words whose letters the vocabulary lacks
    bool ended = false;             // in the translator
    bool opened = false;            // in the translator
    bool finish_sent = false;
    std::vector<TranslationEvent> held = {};  // until the sentence before is complete
  };

  SentenceGlossary glossary(TextForm form) const;
  std::vector<int> tokens_of(const Word& word, const ModelText& text, std::size_t room) const;
  void append_words(Pending& open, const std::vector<ModelText>& texts);
  void append_word(Pending& open, const Word& word, const std::vector<int>& tokens, bool of_term);
  static int words_read(const Pending& sentence);
  static int untranslated(const Pending& sentence);
  bool has_open_sentence() const;
  std::vector<int> prefix_tokens() const;
  SentenceKey key_of(const Pending& sentence) const;
  void send_commands_of(Pending& sentence, SessionOutput& output);
  void ask_for_draft(SessionOutput& output);
  void release_in_order(TimePoint now, SessionOutput& output);
  bool translate_rest(Pending& sentence, SessionOutput& output);
  bool write(Pending& sentence, const TranslationEvent& event, TimePoint now,
             SessionOutput& output);
  void write_prefix(Pending& sentence, TimePoint now, SessionOutput& output);
  void add_draft(const TranslationEvent& event, SessionOutput& output);
  void emit_write(SentenceState& track, std::string text, int index, int read, TimePoint now,
                  SessionOutput& output);
  void write_attention(Pending& sentence, const TranslationEvent& event, int index,
                       SessionOutput& output);
  void write_metrics(const SentenceState& state, SessionOutput& output);
  void complete_first(SessionOutput& output);
  void update_lag_controller(const LatencyScores& words, SessionOutput& output);

  const std::string name_;
  const Key key_;
  const TimePoint ready_;
  const std::size_t open_sentences_;

  std::string prefix_;                // of the first sentence, until it begins
  Setting setting_;                   // of the next sentence
  std::optional<LagController> lag_;  // the setting's, with its current state
  std::deque<Pending> sentences_;     // all but the last have ended
  std::vector<int> ahead_;            // tokens that are read ahead
  SentenceTerms ahead_terms_;         // of these tokens
  std::deque<bool> drafts_asked_;     // whether the translator had all sentences at the time
  int next_number_ = 0;
  std::optional<double> previous_end_;  // the time of the last word of the complete sentences
  int queued_words_ = 0;
  MeanScores mean_scores_;
};

}  // namespace surtitle
