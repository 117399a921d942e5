// Commands of streams to a batching loop, and the loop's events.
//
// A translation event has no number, as opposed to an event of the protocol.
//
// Thread-safety: plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/step_attention.h"
#include "policies/policy.h"

namespace surtitle {

// The track of a sentence that is only watched (start_watch.h).
inline constexpr int kWatchTrack = -1;

// Identifies a sentence of a stream. Keys are never reused.
struct SentenceKey {
  std::uint64_t stream = 0;
  int track = 0;  // of the stream, or kWatchTrack
  int sentence = 0;

  bool operator==(const SentenceKey&) const = default;
  auto operator<=>(const SentenceKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A command to the loop. A sentence is opened once, then read and finished in order. The loop
// closes it when its translation is complete.
struct TranslationCommand {
  enum class Kind {
    kOpen,            // with a policy
    kRead,            // with tokens
    kReadAhead,       // with tokens that may still change; answered by a draft
    kFinish,          // the source is complete
    kClose,           // cancel the sentence; ignored if it is closed already
    kNotifyWhenIdle,  // answered when no sentence can proceed without more source
  };
  Kind kind = Kind::kOpen;
  SentenceKey key;
  PolicyPtr policy;
  std::vector<int> tokens;
  bool attention = false;  // kOpen: whether events have the attention of their step
  bool watched = false;    // kOpen: see Translator::watch_starts(); each kRead is a word
  // kOpen: another sentence that receives the same tokens, see Translator::share_source().
  std::optional<SentenceKey> shares_source_with = std::nullopt;
  // kOpen: target tokens that were written before, see Translator::force().
  std::vector<int> forced = {};
  int target = 0;  // kOpen: see Translator::translate_into()
};

// An event of the loop: a target token, the end of a sentence, its failure, the answer to
// kNotifyWhenIdle or kReadAhead, or the probability of a watched sentence's word. A sentence has no
// more events after its end or failure, except for answers.
struct TranslationEvent {
  SentenceKey key;
  int token = 0;
  int read = 0;      // source tokens visible to the step, end of sentence included
  bool end = false;  // the sentence is complete; there is no token
  std::optional<std::string> failure = {};
  bool idle = false;                                         // the answer to kNotifyWhenIdle
  std::shared_ptr<const StepAttention> attention = nullptr;  // of a token or end, if requested
  // Of a watched sentence: the probability that the word whose last token is source token `read`
  // begins a sentence.
  std::optional<float> start = {};
  // The answer to kReadAhead, once no sentence of the stream can proceed without more source: the
  // target tokens that rest on the tokens ahead.
  std::optional<std::vector<int>> draft = {};
};

}  // namespace surtitle
