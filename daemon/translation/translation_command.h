// What streams and the batching loop say to each other.
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

// A sentence of a stream; never reused.
struct SentenceKey {
  std::uint64_t stream = 0;
  int track = 0;  // of the stream
  int sentence = 0;

  bool operator==(const SentenceKey&) const = default;
  auto operator<=>(const SentenceKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// To the loop. A sentence is opened once, then read and finished in order; it is closed by itself
// once its translation is complete.
struct TranslationCommand {
  enum class Kind {
    kOpen,            // with a policy
    kRead,            // with tokens
    kFinish,          // the source is complete
    kClose,           // cancel the sentence; ignored if it is closed already
    kNotifyWhenIdle,  // answered once no sentence can proceed without more source
  };
  Kind kind = Kind::kOpen;
  SentenceKey key;
  PolicyPtr policy;
  std::vector<int> tokens;
  bool attention = false;  // of kOpen: what each step looks at is told, see TranslationEvent
  std::optional<SentenceKey> shares_source_with =
      std::nullopt;  // of kOpen: one that is given the same tokens
  // Of kOpen: what was written before, see Translator::force().
  std::vector<int> forced = {};
};

// From the loop: one target token, the end of a sentence, its failure, or the answer to
// kNotifyWhenIdle. Nothing else of a sentence follows its end or failure.
struct TranslationEvent {
  SentenceKey key;
  int token = 0;
  int read = 0;      // source tokens visible to the step, end of sentence included
  bool end = false;  // complete; carries no token
  std::optional<std::string> failure = {};
  bool idle = false;  // answers kNotifyWhenIdle, and is nothing else
  std::shared_ptr<const StepAttention> attention = nullptr;  // of a token or end, where asked for
};

}  // namespace surtitle
