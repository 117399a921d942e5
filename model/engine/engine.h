// The incremental engine: a Translator that decides which sentences move at a tick, and leaves the
// arithmetic to an Inference.
//
// Every sentence has a slot. A source token is encoded once, when it arrives. A target token costs
// one decoder step. All sentences that can move share one batched call.
//
// A decoder step can stop inside, where a layer needs source that has not arrived. The sentence
// then waits for the number of source tokens that it needs.
//
// End of sentence before the source is finished is a READ: the step is done again seeing one token
// more than before, and no later step sees less. Under a policy that makes drafts it ends a draft
// (model/engine/draft_decoder.h). What a step may see depends on the sentence, the model and the
// policy alone.
//
// A token that would make a loop is banned, and the step is done again
// (model/engine/repetition_rule.h). A source without a letter or a digit, as "." alone, has no
// translation.
//
// Sentences with the same source (one stream under two policies) can share what is encoded of it:
// one leads and encodes, the others follow and only compare tokens.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/engine/draft_decoder.h"
#include "model/engine/inference.h"
#include "model/engine/repetition_rule.h"
#include "model/engine/translator.h"
#include "model/package/package.h"

namespace surtitle {

// Positions that an Inference needs for one sentence of `max_source_tokens`.
int source_positions(int max_source_tokens);
int target_positions(int max_source_tokens);

// A translation this long has lost itself: end of sentence is taken as predicted. A function of
// what the step sees, as everything that decides about a sentence.
int longest_target(int visible);

class Engine final : public Translator {
 public:
  // `inference` has slots of the positions above; as many sentences can be open.
  // `tokenizers` say which tokens are words, for RepetitionRule.
  Engine(const PackageDescription& description, const TranslatorOptions& options,
         std::unique_ptr<Inference> inference, const Tokenizers& tokenizers = {});

  const ModelInfo& info() const noexcept override { return info_; }
  std::optional<SentenceId> open(PolicyPtr policy) override;
  void show_attention(SentenceId sentence) override;
  void force(SentenceId sentence, std::vector<int> tokens) override;
  void share_source(SentenceId sentence, SentenceId other) override;
  void read(SentenceId sentence, std::span<const int> tokens) override;
  void finish(SentenceId sentence) override;
  void close(SentenceId sentence) override;
  bool step(std::vector<Write>& writes) override;

 private:
  // One open sentence.
  struct Sentence {
    PolicyPtr policy;  // none: the slot is free
    std::vector<int> source;
    bool finished = false;
    bool ended = false;
    int encoded = 0;  // source tokens

    std::optional<SentenceId> leader;  // whose source it sees, as long as that is its own
    int followers = 0;
    bool closed = false;  // and there for its followers alone

    // The step under way.
    int target_index = 0;
    int previous = 0;
    int least_visible = 0;  // no step sees less: raised by READs at an early end of sentence
    int needed = 1;         // source tokens that it waits for
    BannedTokens banned;    // as they would make a loop

    bool has_text = false;    // the source has a letter or a digit
    std::vector<int> target;  // written tokens, those forced included

    std::optional<DraftTrack> drafts;  // under a policy that makes them
    int furthest = 0;                  // target index that was ever decoded

    std::vector<int> forced;  // written before: the first tokens, which are not told again
    int written = 0;          // target tokens

    // What steps looked at, where it is asked for: of the draft under way by target index; without
    // drafts, of the step under way alone.
    bool shows_attention = false;
    std::vector<StepAttention> attention;
  };

  // Takes over what the leader has encoded; leaves it where it has other tokens, or will not have
  // these.
  void follow(SentenceId id);
  void leave_leader(SentenceId id);
  void release(SentenceId id);
  SentenceId source_slot(SentenceId id) const { return at(id).leader.value_or(id); }

  int pending(const Sentence& sentence) const;
  bool can_move(const Sentence& sentence) const;
  void encode_pending();
  // How much the draft under way sees.
  void seek(SentenceId id);
  void decode(std::vector<Write>& writes);
  void take(SentenceId id, const StepOutcome& outcome, std::vector<Write>& writes);
  void take_draft(SentenceId id, int token, int visible, std::vector<Write>& writes);
  // Whether `token`, which the step under way chose, repeats too much; see RepetitionRule.
  bool makes_loop(const Sentence& sentence, int token, int visible) const;
  void write(SentenceId id, int token, int visible, std::vector<Write>& writes);
  void end(SentenceId id, int visible, std::vector<Write>& writes);
  // Where the step under way puts what it looks at; nullptr where nobody asks.
  static StepAttention* attention_place(Sentence& sentence);
  // What the step of a token looked at, for its write.
  static std::shared_ptr<const StepAttention> attention_of(Sentence& sentence, int target_index);
  void warm_up();

  Sentence& at(SentenceId id) { return sentences_[static_cast<std::size_t>(id)]; }
  const Sentence& at(SentenceId id) const { return sentences_[static_cast<std::size_t>(id)]; }

  ModelInfo info_;
  RepetitionRule repetition_;
  std::unique_ptr<Inference> inference_;
  std::vector<Sentence> sentences_;  // by slot
  std::vector<SentenceId> free_;
  std::vector<SentenceId> open_;

  bool released_ = false;  // a slot, in this tick

  // Of a tick; kept for their memory.
  std::vector<SourceToken> tokens_;
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

}  // namespace surtitle
