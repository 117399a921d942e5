#include "model/engine/engine.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/text/tokenizer.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

// Maximum source tokens of a sentence in one tick, so that a long burst does not delay the others.
constexpr int kEncodeAtOnce = 32;

// Removes the weights of a prefix; the sum of the others becomes 1.
void leave_out_prefix(LayerAttention& layer, int prefix) {
  if (prefix == 0) return;
  auto& weights = layer.weights;
  weights.erase(weights.begin(),
                weights.begin() + std::min<std::ptrdiff_t>(prefix, std::ssize(weights)));
  const float sum = std::accumulate(weights.begin(), weights.end(), 0.0F);
  if (sum > 0)
    for (float& weight : weights) weight /= sum;
  for (float& position : layer.positions)
    position = std::max(position - static_cast<float>(prefix), 0.0F);
}

}  // namespace

std::optional<std::string> unsupported_policy(const ModelInfo& model, const Policy& policy) {
  const auto drafting = policy.drafting();
  if (model.supports_alignatt || !drafting || drafting->held_words == 0) return std::nullopt;
  std::string others;
  for (const auto& name : model.policies) others += name + ", ";
  return "policy " + policy.name() + ": the device of model " + model.name +
         " does not support it, and the translation waits for the end of each sentence; use " +
         others + "or the device cpu";
}

int max_target_length(int visible) { return 2 * visible + 16; }

int source_positions(int max_source_tokens) { return max_source_tokens + 1; }

int target_positions(int max_source_tokens) {
  return max_target_length(source_positions(max_source_tokens)) + 1;
}

Engine::Engine(const PackageDescription& description, const TranslatorOptions& options,
               std::unique_ptr<Inference> inference, const Tokenizers& tokenizers,
               std::vector<std::vector<int>> prefixes)
    : info_{.name = description.name,
            .source_language = description.source_language,
            .target_language = description.target_language,
            .policies = description.policies,
            .default_policy = description.default_policy,
            .source_forms = description.source_forms,
            .max_source_tokens = options.max_source_tokens,
            .max_sentences = inference->slots(),
            .supports_attention = inference->supports_attention(),
            .watches_starts = inference->supports(StateClassifier::kSentenceStart),
            .has_start_classifier = description.architecture.sentence_starts,
            .trained_words = description.trained_words,
            .placeholders = description.placeholders,
            .supports_alignatt = inference->finds_peaks(),
            .licence = description.licence,
            .origin = description.origin},
      causal_(description.architecture.encoder_reach == EncoderReach::kCausal),
      repetition_(tokenizers),
      prefixes_(std::move(prefixes)),
      inference_(std::move(inference)),
      sentences_(static_cast<std::size_t>(info_.max_sentences)) {
  for (std::size_t i = 1; i < description.source_prefixes.size(); ++i)
    info_.other_targets.push_back(description.source_prefixes[i].target_language);
  leave_out_unsupported_policies();
  free_.reserve(sentences_.size());  // release() never allocates, so no slot is lost
  open_.reserve(sentences_.size());
  for (int slot = info_.max_sentences; slot-- > 0;) free_.push_back(slot);
  warm_up();
}

void Engine::leave_out_unsupported_policies() {
  auto& policies = info_.policies;
  if (!inference_->supports(StateClassifier::kUnitEnd)) std::erase(policies, "mu");
  if (!info_.supports_alignatt) std::erase(policies, "alignatt");
  if (info_.default_policy.empty() ||
      !unsupported_policy(info_, *make_policy(info_.default_policy)))
    return;
  info_.replaced_policy =
      std::exchange(info_.default_policy,
                    make_policy(policies.empty() ? "full-sentence" : policies.front())->spec());
}

std::optional<SentenceId> Engine::open(PolicyPtr policy) {
  if (free_.empty()) return std::nullopt;
  const auto id = free_.back();
  Sentence sentence;
  if (auto drafting = policy->drafting()) {
    drafting->continues = drafting->continues && causal_;
    sentence.drafts.emplace(*drafting);
    sentence.held_words = drafting->held_words;
  }
  sentence.policy = std::move(policy);
  sentence.previous = kEndOfSentence;
  sentence.has_text = !repetition_.knows_tokens();
  inference_->open(id);
  at(id) = std::move(sentence);
  free_.pop_back();
  open_.push_back(id);
  translate_into(id, 0);
  return id;
}

void Engine::translate_into(SentenceId id, int target) {
  auto& sentence = at(id);
  if (!prefixes_.empty()) sentence.source = prefixes_[static_cast<std::size_t>(target)];
  sentence.prefix = static_cast<int>(sentence.source.size());
  sentence.required_source = sentence.with_prefix(sentence.drafts ? sentence.drafts->visible() : 1);
}

void Engine::record_attention(SentenceId id) {
  at(id).shows_attention = inference_->supports_attention();
}

void Engine::watch_starts(SentenceId id) { at(id).watched.emplace(); }

void Engine::force(SentenceId id, std::vector<int> tokens) {
  auto& sentence = at(id);
  if (sentence.drafts) sentence.drafts->force(tokens);
  sentence.forced = std::move(tokens);
}

void Engine::share_source(SentenceId id, SentenceId other) {
  if (!inference_->shares_sources()) return;
  at(id).leader = source_slot(other);
  ++at(*at(id).leader).followers;
}

void Engine::read(SentenceId id, std::span<const int> tokens) {
  auto& sentence = at(id);
  auto& source = sentence.source;
  const auto counted = sentence.without_prefix(static_cast<int>(source.size() + tokens.size()));
  if (counted > info_.max_source_tokens)
    throw std::length_error("sentence of " + std::to_string(counted) + " source tokens; at most " +
                            std::to_string(info_.max_source_tokens));
  auto& ends = sentence.word_ends;
  const auto end_word = [&] {
    const auto size = static_cast<int>(source.size());
    if (size > sentence.prefix && (ends.empty() || ends.back() < size)) ends.push_back(size);
  };
  for (const int token : tokens) {
    if (repetition_.begins_word(token)) end_word();
    source.push_back(token);
    if (sentence.has_text || !repetition_.has_text(token)) continue;
    sentence.has_text = true;
    if (sentence.drafts) continue;
    sentence.min_visible = static_cast<int>(source.size());
    sentence.required_source = std::max(sentence.required_source, sentence.min_visible);
  }
  end_word();
  if (sentence.watched) sentence.watched->push_back(static_cast<int>(source.size()));
}

void Engine::finish(SentenceId id) {
  at(id).source.push_back(kEndOfSentence);
  at(id).finished = true;
}

void Engine::close(SentenceId id) {
  open_.erase(std::find(open_.begin(), open_.end(), id));
  if (at(id).leader) drop_leader(id);
  at(id).closed = true;
  if (at(id).followers == 0) release(id);
}

void Engine::release(SentenceId id) {
  inference_->close(id, at(id).encoded, at(id).furthest + 1);
  at(id) = Sentence{};
  free_.push_back(id);
  released_ = true;
}

void Engine::follow(SentenceId id) {
  auto& sentence = at(id);
  const auto& leader = at(*sentence.leader);
  const auto size = static_cast<int>(sentence.source.size());
  const auto differs =
      std::mismatch(sentence.source.begin() + sentence.encoded, sentence.source.end(),
                    leader.source.begin() + sentence.encoded, leader.source.end());
  const auto equal = static_cast<int>(differs.first - sentence.source.begin());
  sentence.encoded = std::min(equal, leader.encoded);
  if (equal == size && (!leader.closed || size <= leader.encoded)) return;
  encode_gathered();  // the leader's tokens of this tick may be among them
  inference_->copy_source(*sentence.leader, id, sentence.encoded);
  drop_leader(id);
}

void Engine::drop_leader(SentenceId id) {
  const auto leader = *std::exchange(at(id).leader, std::nullopt);
  if (--at(leader).followers == 0 && at(leader).closed) release(leader);
}

int Engine::pending(const Sentence& sentence) const {
  return static_cast<int>(sentence.source.size()) - sentence.encoded;
}

bool Engine::can_move(const Sentence& sentence) const {
  if (sentence.ended || sentence.watched) return false;
  if (!sentence.has_text && !sentence.finished) return false;
  return sentence.encoded >= sentence.required_source ||
         (sentence.finished && pending(sentence) == 0);
}

bool Engine::tick(std::vector<Write>& writes) {
  released_ = false;
  encode_pending();
  report_starts(writes);
  decode(writes);
  return released_ || std::any_of(open_.begin(), open_.end(), [&](SentenceId id) {
           return can_move(at(id)) || pending(at(id)) > 0;
         });
}

void Engine::encode_pending() {
  tokens_.clear();
  bool further = false;  // a sentence has further encoded tokens
  for (const auto id : open_) {
    auto& sentence = at(id);
    const int before = sentence.encoded;
    if (sentence.leader) follow(id);
    if (!sentence.leader) {
      const int end = sentence.encoded + std::min(pending(sentence), kEncodeAtOnce);
      for (int position = sentence.encoded; position < end; ++position)
        tokens_.push_back({.slot = id,
                           .position = position,
                           .token = sentence.source[static_cast<std::size_t>(position)]});
      sentence.encoded = end;
    }
    further = further || sentence.encoded != before;
  }
  encode_gathered();
  if (!further) return;
  for (const auto id : open_)
    if (at(id).drafts) extend_visibility(id);
}

void Engine::encode_gathered() {
  if (!tokens_.empty()) inference_->encode(tokens_);
  tokens_.clear();
}

void Engine::report_starts(std::vector<Write>& writes) {
  for (const auto id : open_) {
    auto& sentence = at(id);
    if (!sentence.watched) continue;
    auto& ends = *sentence.watched;
    for (; !ends.empty() && ends.front() <= sentence.encoded; ends.pop_front()) {
      const float start = inference_->probability(StateClassifier::kSentenceStart, source_slot(id),
                                                  ends.front() - 1);
      writes.push_back(
          {.sentence = id, .read = sentence.without_prefix(ends.front()), .start = start});
    }
    if (sentence.finished && pending(sentence) == 0 && !sentence.ended)
      end(id, static_cast<int>(sentence.source.size()), writes);
  }
}

void Engine::extend_visibility(SentenceId id) {
  auto& sentence = at(id);
  const auto& ends = sentence.word_ends;
  const int encoded = std::max(sentence.without_prefix(sentence.encoded), 0);
  sentence.drafts->extend_visibility(encoded, [&](int counted) {
    const int position = sentence.with_prefix(counted);
    if (sentence.held_words > 0)
      return std::binary_search(ends.begin(), ends.end(), position + 1) ? 1.0F : 0.0F;
    return inference_->probability(StateClassifier::kUnitEnd, source_slot(id), position);
  });
  sentence.required_source = sentence.with_prefix(sentence.drafts->visible());
}

void Engine::decode(std::vector<Write>& writes) {
  steps_.clear();
  for (const auto id : open_) {
    auto& sentence = at(id);
    if (!can_move(sentence)) continue;
    if (!sentence.has_text && sentence.forced.empty()) {
      end(id, static_cast<int>(sentence.source.size()), writes);
      continue;
    }
    DecoderStep step{.slot = id,
                     .source_slot = source_slot(id),
                     .target_index = sentence.target_index,
                     .previous = sentence.previous,
                     .encoded = sentence.encoded,
                     .prefix = sentence.prefix,
                     .min_visible = sentence.min_visible,
                     .policy = sentence.policy.get(),
                     .banned = sentence.banned,
                     .attention = attention_place(sentence),
                     .finds_peak = sentence.held_words > 0};
    if (sentence.finished) step.max_visible = static_cast<int>(sentence.source.size());
    if (sentence.drafts)
      step.max_visible =
          std::min(step.max_visible, sentence.with_prefix(sentence.drafts->visible()));
    steps_.push_back(step);
  }
  if (steps_.empty()) return;
  outcomes_.resize(steps_.size());
  inference_->decode(steps_, outcomes_);
  for (std::size_t i = 0; i < steps_.size(); ++i)
    apply_outcome(steps_[i].slot, outcomes_[i], writes);
}

void Engine::apply_outcome(SentenceId id, const StepOutcome& outcome, std::vector<Write>& writes) {
  auto& sentence = at(id);
  if (outcome.required_source > 0) {
    sentence.required_source = outcome.required_source;
    return;
  }
  const int visible = outcome.visible;
  int token = outcome.token;
  if (token == kEndOfSentence && stalls(sentence, visible) && !sentence.banned.full()) {
    sentence.banned.add(token);  // the step is repeated
    return;
  }
  if (sentence.target_index >= max_target_length(sentence.without_prefix(visible)))
    token = kEndOfSentence;
  if (rests_on_held_words(sentence, outcome)) token = kEndOfSentence;
  if (makes_loop(sentence, token, visible)) {
    if (!sentence.banned.full()) {
      sentence.banned.add(token);  // the step is repeated
      return;
    }
    token = kEndOfSentence;
  }
  sentence.banned = {};
  if (sentence.drafts) {
    apply_draft_token(id, token, visible, writes);
    return;
  }
  const auto index = static_cast<std::size_t>(sentence.target_index);
  const bool whole = sentence.finished && visible == static_cast<int>(sentence.source.size());
  if (token == kEndOfSentence && !whole) {
    sentence.min_visible = visible + 1;
  } else {
    if (index < sentence.forced.size()) token = sentence.forced[index];
    if (token == kEndOfSentence) {
      end(id, visible, writes);
    } else {
      write(id, token, visible, writes);
      sentence.previous = token;
      sentence.target.push_back(token);
      ++sentence.target_index;
    }
  }
  sentence.required_source = std::max(sentence.with_prefix(1), sentence.min_visible);
  sentence.furthest = std::max(sentence.furthest, sentence.target_index);
}

bool Engine::stalls(const Sentence& sentence, int visible) const {
  const bool whole = sentence.finished && visible == std::ssize(sentence.source);
  const bool next = !sentence.drafts || sentence.drafts->target_index() == sentence.written;
  return repetition_.knows_tokens() && !whole && next && sentence.written > 0 &&
         visible - sentence.last_visible > kMaxStall;
}

bool Engine::makes_loop(const Sentence& sentence, int token, int visible) const {
  const auto& target = sentence.drafts ? sentence.drafts->draft() : sentence.target;
  // Drafts are predicted again as they were before, so that only the last one has forced tokens.
  const bool whole = sentence.finished && visible == static_cast<int>(sentence.source.size());
  const bool forced = target.size() < sentence.forced.size() && (!sentence.drafts || whole);
  const bool given = forced || (sentence.drafts && sentence.drafts->follows_written());
  return !given && repetition_.blocks(
                       std::span(sentence.source)
                           .subspan(static_cast<std::size_t>(sentence.prefix),
                                    static_cast<std::size_t>(sentence.without_prefix(visible))),
                       target, token);
}

bool Engine::rests_on_held_words(const Sentence& sentence, const StepOutcome& outcome) {
  if (sentence.held_words == 0) return false;
  const bool whole = sentence.finished && outcome.visible == std::ssize(sentence.source);
  if (whole) return false;
  // The ends of words that the draft sees.
  const auto& ends = sentence.word_ends;
  const auto seen = std::upper_bound(ends.begin(), ends.end(), outcome.visible) - ends.begin();
  const auto free = seen - sentence.held_words;
  return free <= 0 || outcome.peak < 0 || outcome.peak >= ends[static_cast<std::size_t>(free - 1)];
}

void Engine::apply_draft_token(SentenceId id, int token, int visible, std::vector<Write>& writes) {
  auto& sentence = at(id);
  const bool whole = sentence.finished && visible == static_cast<int>(sentence.source.size());
  for (const int written : sentence.drafts->accept(token, whole))
    write(id, written, visible, writes);
  if (sentence.drafts->complete()) end(id, visible, writes);
  sentence.target_index = sentence.drafts->target_index();
  sentence.previous = sentence.drafts->previous();
  sentence.furthest = std::max(sentence.furthest, sentence.target_index);
  extend_visibility(id);
}

void Engine::write(SentenceId id, int token, int visible, std::vector<Write>& writes) {
  auto& sentence = at(id);
  sentence.last_visible = visible;
  const auto attention = attention_of(sentence, sentence.written);
  if (static_cast<std::size_t>(sentence.written++) < sentence.forced.size()) return;
  writes.push_back({.sentence = id,
                    .token = token,
                    .read = sentence.without_prefix(visible),
                    .end = false,
                    .attention = attention});
}

void Engine::end(SentenceId id, int visible, std::vector<Write>& writes) {
  auto& sentence = at(id);
  writes.push_back({.sentence = id,
                    .token = kEndOfSentence,
                    .read = sentence.without_prefix(visible),
                    .end = true,
                    .attention = attention_of(sentence, sentence.written)});
  sentence.ended = true;
}

StepAttention* Engine::attention_place(Sentence& sentence) {
  if (!sentence.shows_attention) return nullptr;
  const auto index = static_cast<std::size_t>(sentence.drafts ? sentence.target_index : 0);
  if (sentence.attention.size() <= index) sentence.attention.resize(index + 1);
  return &sentence.attention[index];
}

std::shared_ptr<const StepAttention> Engine::attention_of(Sentence& sentence, int target_index) {
  if (!sentence.shows_attention) return nullptr;
  const auto index = static_cast<std::size_t>(sentence.drafts ? target_index : 0);
  StepAttention attention = std::move(sentence.attention[index]);
  for (LayerAttention& layer : attention) leave_out_prefix(layer, sentence.prefix);
  return std::make_shared<const StepAttention>(std::move(attention));
}

void Engine::warm_up() {
  const auto id = *open(make_policy("full-sentence"));
  read(id, std::vector<int>(8, kUnknown));
  finish(id);
  std::vector<Write> writes;
  for (int i = 0; i < 4; ++i) tick(writes);
  close(id);
}

}  // namespace surtitle
