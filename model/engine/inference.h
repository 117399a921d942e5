// The arithmetic behind an Engine: a model's weights and the caches of the sentences under way, on
// one kind of device. The engine decides which sentences move; an Inference moves them.
//
// Implementations: CpuInference (model/cpu/cpu_inference.h), CudaInference
// (model/cuda/cuda_inference.h), and TorchInference (model/torch/torch_inference.h), the second
// opinion of tests. To add a device: implement this, and name it in make_inference().
//
// Thread-safety: none; the engine's thread makes every call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "model/engine/repetition_rule.h"
#include "model/engine/step_attention.h"
#include "policies/policy.h"

namespace surtitle {

// A new source token of the sentence in a slot.
struct SourceToken {
  int slot = 0;
  int position = 0;  // in its sentence, from 0
  int token = 0;
};

// What a decoder step of one sentence starts from.
struct DecoderStep {
  int slot = 0;
  int source_slot = -1;  // whose source it sees; -1: its own. See Inference::shares_sources()
  int target_index = 0;  // from 0
  int previous = 0;      // target token before, or end of sentence
  int encoded = 0;       // source tokens that the step could see
  int least_visible = 0;
  int most_visible = std::numeric_limits<int>::max();  // the length of a finished source
  const Policy* policy = nullptr;
  BannedTokens banned = {};
  // Where to put what the layers look at; nullptr: nobody asks. A step that is taken up again finds
  // there what it put there before.
  StepAttention* attention = nullptr;
};

inline int source_slot_of(const DecoderStep& step) {
  return step.source_slot < 0 ? step.slot : step.source_slot;
}

// Source tokens that a step sees whose layer is aligned at `position`.
inline int visible_at(const DecoderStep& step, double position) {
  const int wanted = step.policy->visible_source(step.target_index, position);
  return std::min(std::max(wanted, step.least_visible), step.most_visible);
}

// What came of it. A step can stop inside: layer l may need source that is not encoded yet. Then
// `needed` says how much, nothing else holds, and decode() with the same target_index takes the
// step up, at that layer or from its first, once so much is encoded.
struct StepOutcome {
  int token = 0;    // most likely of those not banned
  int visible = 0;  // source tokens that the furthest layer saw
  int needed = 0;   // 0: the step is complete
};

class Inference {
 public:
  Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  virtual ~Inference() = default;

  // Sentences that it has room for.
  virtual int slots() const = 0;

  // A new sentence in the slot.
  virtual void open(int slot) = 0;
  // The slot's sentence is over; it had so many source and target tokens.
  virtual void close(int slot, int source, int target) = 0;

  // Encodes tokens and keeps what later steps need of them. A sentence's tokens stand one behind
  // the other and follow those before.
  virtual void encode(std::span<const SourceToken> tokens) = 0;

  // Whether it knows where meaning units end: the model does (`meaning_units` in
  // model/package/config.h), and so does this kind of device.
  virtual bool tells_unit_ends() const { return false; }
  // The probability that a unit of the source ends with the token at `position`, which is encoded.
  virtual float unit_end(int /*slot*/, int /*position*/) const { return 0; }

  // Whether a step may see the source of another slot.
  virtual bool shares_sources() const { return false; }

  // Whether it can tell what a step looked at, see DecoderStep; else that stays empty.
  virtual bool tells_attention() const { return false; }

  // One step for each sentence; a slot stands in `steps` once. A complete step may be done again
  // for the same target_index, and target_index 0 begins the translation anew.
  virtual void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) = 0;
};

}  // namespace surtitle
