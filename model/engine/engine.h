// Translator that schedules sentences and leaves the arithmetic to an Inference.
//
// Every sentence has a slot. A source token is encoded once, when it arrives. A target token costs
// one decoder step. All sentences that can move share one batched call.
//
// A decoder step can stop at a layer that needs source that has not arrived. The sentence then
// waits for the number of source tokens that it needs.
//
// End of sentence before the source is finished is a READ. The step is repeated with one more
// visible token, and later steps see at least as much. Under a policy that makes drafts it ends a
// draft (model/engine/draft_decoder.h). The source that a step may see depends on the sentence, the
// model and the policy alone.
//
// A token that would make a loop is banned, and the step is repeated
// (model/engine/repetition_rule.h). A source without a letter or a digit, as "." alone, has no
// translation.
//
// Sentences with the same source (one stream under two policies) can share its encoding. One leads
// and encodes; the others follow and only compare tokens.
//
// A source of a model of several target languages begins with a prefix, tokens that name the
// target. Policies, limits, writes and attention count the tokens after it.
//
// Thread-safety: see Translator.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "model/engine/draft_decoder.h"
#include "model/engine/inference.h"
#include "model/engine/repetition_rule.h"
#include "model/engine/translator.h"
#include "model/package/package.h"

namespace surtitle {

// Numbers of positions that an Inference needs for a sentence of `max_source_tokens`, without a
// prefix.
int source_positions(int max_source_tokens);
int target_positions(int max_source_tokens);

// Returns 2 visible + 16: the target length at which a step that sees `visible` source tokens
// predicts end of sentence. A longer translation is taken for a loop. The limit depends only on the
// visible source, as every decision about a sentence must.
int max_target_length(int visible);

// A step that predicts end of sentence before the source has ended reads a further token. Some
// translations are complete too early ("... of this.") and would wait so for the rest of a long
// sentence. If more source tokens than this have been read since the last write, end of sentence is
// therefore banned from the step, and the translation continues. No limit applies to a model of
// token ids only, which decodes as the papers' code does.
inline constexpr int kMaxStall = 12;

class Engine final : public Translator {
 public:
  // `tokenizers` determine which tokens are words, for RepetitionRule. `prefixes`: as in Package.
  // REQUIRES: the slots of `inference` have the numbers of positions above, and those of the
  // longest prefix. The number of slots limits the open sentences.
  Engine(const PackageDescription& description, const TranslatorOptions& options,
         std::unique_ptr<Inference> inference, const Tokenizers& tokenizers = {},
         std::vector<std::vector<int>> prefixes = {});

  const ModelInfo& info() const noexcept override { return info_; }
  std::optional<SentenceId> open(PolicyPtr policy) override;
  void translate_into(SentenceId sentence, int target) override;
  void record_attention(SentenceId sentence) override;
  void watch_starts(SentenceId sentence) override;
  void force(SentenceId sentence, std::vector<int> tokens) override;
  void share_source(SentenceId sentence, SentenceId other) override;
  void read(SentenceId sentence, std::span<const int> tokens) override;
  void finish(SentenceId sentence) override;
  bool waits_for_source(SentenceId sentence) const override {
    return !can_move(at(sentence)) && pending(at(sentence)) == 0;
  }
  void close(SentenceId sentence) override;
  bool tick(std::vector<Write>& writes) override;

 private:
  // One open sentence.
  struct Sentence {
    PolicyPtr policy;  // nullptr: the slot is free
    std::vector<int> source;
    int prefix = 0;  // tokens of the source that name the target
    bool finished = false;
    bool ended = false;
    int encoded = 0;  // source tokens

    std::optional<SentenceId> leader;  // encodes the source, as long as both are equal
    int followers = 0;
    bool closed = false;  // but kept for its followers

    // The step under way.
    int target_index = 0;
    int previous = 0;
    int min_visible = 0;      // no step sees less: raised by READs at an early end of sentence
    int required_source = 1;  // source tokens for which it waits
    BannedTokens banned;      // for the step under way

    // Of a watched sentence: the ends of words that are not reported yet, in source tokens.
    std::optional<std::deque<int>> watched;

    std::vector<int> word_ends;  // of the source, in tokens
    bool has_text = false;       // the source has a letter or a digit
    std::vector<int> target;     // written tokens, forced ones included; empty if drafts are made

    std::optional<DraftDecoder> drafts;  // only under a policy that makes drafts
    int held_words = 0;                  // see Drafting
    int furthest = 0;                    // highest target index decoded

    std::vector<int> forced;  // first tokens, already written; tick() does not return them
    int last_visible = 0;     // source tokens that the last write has seen
    int written = 0;          // number of written target tokens, forced ones included

    // Attention of steps, if requested: of the draft under way by target index, or of the step
    // under way if there are no drafts.
    bool shows_attention = false;
    std::vector<StepAttention> attention;

    // Returns the visible source tokens that are not of the prefix, and the reverse.
    int without_prefix(int visible) const { return visible - prefix; }
    int with_prefix(int counted) const {
      return counted == kWholeSource ? kWholeSource : counted + prefix;
    }
  };

  // Counts the tokens that the leader has encoded as encoded. Leaves the leader with a copy of them
  // if further tokens differ, or if it is closed before it has encoded as many.
  void follow(SentenceId id);
  void drop_leader(SentenceId id);
  void release(SentenceId id);
  SentenceId source_slot(SentenceId id) const { return at(id).leader.value_or(id); }

  int pending(const Sentence& sentence) const;
  bool can_move(const Sentence& sentence) const;
  void encode_pending();
  void encode_gathered();
  // Reports the words of watched sentences that are encoded by now.
  void report_starts(std::vector<Write>& writes);
  // Lets the draft under way see the next meaning unit, if one has ended.
  void extend_visibility(SentenceId id);
  void decode(std::vector<Write>& writes);
  void apply_outcome(SentenceId id, const StepOutcome& outcome, std::vector<Write>& writes);
  // Whether the step of a draft is aligned with one of the last words that the draft sees.
  static bool rests_on_held_words(const Sentence& sentence, const StepOutcome& outcome);
  void apply_draft_token(SentenceId id, int token, int visible, std::vector<Write>& writes);
  // Whether nothing has been written for more than kMaxStall source tokens.
  bool stalls(const Sentence& sentence, int visible) const;
  // Whether `token`, which the step under way chose, repeats too much; see RepetitionRule.
  bool makes_loop(const Sentence& sentence, int token, int visible) const;
  void write(SentenceId id, int token, int visible, std::vector<Write>& writes);
  void end(SentenceId id, int visible, std::vector<Write>& writes);
  // Returns the place for the attention of the step under way, or nullptr if none is requested.
  static StepAttention* attention_place(Sentence& sentence);
  // Returns the attention of a token's step for its write, or nullptr if none is requested.
  static std::shared_ptr<const StepAttention> attention_of(Sentence& sentence, int target_index);
  void leave_out_unsupported_policies();
  void warm_up();

  Sentence& at(SentenceId id) { return sentences_[static_cast<std::size_t>(id)]; }
  const Sentence& at(SentenceId id) const { return sentences_[static_cast<std::size_t>(id)]; }

  ModelInfo info_;
  bool causal_;  // the encoder
  RepetitionRule repetition_;
  std::vector<std::vector<int>> prefixes_;  // by target language
  std::unique_ptr<Inference> inference_;
  std::vector<Sentence> sentences_;  // by slot
  std::vector<SentenceId> free_;
  std::vector<SentenceId> open_;

  bool released_ = false;  // a slot became free in this tick

  // Of one tick; members, so that their memory is reused.
  std::vector<SourceToken> tokens_;
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

}  // namespace surtitle
