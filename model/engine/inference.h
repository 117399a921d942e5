// Arithmetic of an Engine: weights and caches on one kind of device.
//
// The engine decides which sentences move; an Inference computes their steps.
//
// Implementations: CpuInference (model/cpu/cpu_inference.h), CudaInference
// (model/cuda/cuda_inference.h), and TorchInference (model/torch/torch_inference.h), the reference
// for tests. To add a device: implement this, and name it in make_inference().
//
// Thread-safety: none; the engine's thread makes every call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "model/engine/repetition_rule.h"
#include "model/engine/state_classifier.h"
#include "model/engine/step_attention.h"
#include "policies/policy.h"

namespace surtitle {

// A new source token of the sentence in a slot.
struct SourceToken {
  int slot = 0;
  int position = 0;  // in its sentence, from 0
  int token = 0;
};

// Input of a decoder step of one sentence.
struct DecoderStep {
  int slot = 0;
  int source_slot = -1;  // slot of its source; -1: its own. See Inference::shares_sources()
  int target_index = 0;  // from 0
  int previous = 0;      // target token before; at index 0 the end of sentence, as in fairseq
  int encoded = 0;       // source tokens that are encoded
  int prefix = 0;        // source tokens before those that the policy counts
  int min_visible = 0;   // source tokens that the step sees at least
  int max_visible = std::numeric_limits<int>::max();  // the length of a finished source
  const Policy* policy = nullptr;
  BannedTokens banned = {};
  // Receives the attention of the layers; nullptr: not requested. A step that is resumed finds the
  // attention of its earlier layers here.
  StepAttention* attention = nullptr;
  bool finds_peak = false;  // requests StepOutcome::peak
};

inline int source_slot_of(const DecoderStep& step) {
  return step.source_slot < 0 ? step.slot : step.source_slot;
}

// Returns the source tokens that a step sees if its layer is aligned at `position`.
inline int visible_at(const DecoderStep& step, double position) {
  const int counted = step.policy->visible_source(step.target_index, position - step.prefix);
  const int wanted =
      counted > step.max_visible - step.prefix ? step.max_visible : counted + step.prefix;
  return std::min(std::max(wanted, step.min_visible), step.max_visible);
}

// Result of a step. A step can stop at a layer that needs source that is not encoded yet. Then
// `required_source` is the number of source tokens it waits for, and the other fields are invalid.
// When they are encoded, decode() with the same target_index resumes the step, at that layer or
// from the first.
struct StepOutcome {
  int token = 0;            // most likely of those not banned
  int visible = 0;          // source tokens that the furthest layer saw
  int required_source = 0;  // 0: the step is complete
  // The source token (from 0) on which the aligning heads have the most weight, if the step
  // requested it; -1: not known.
  int peak = -1;
};

class Inference {
 public:
  Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  virtual ~Inference() = default;

  // Maximum number of open sentences.
  virtual int slots() const = 0;

  // Begins a sentence in the slot.
  virtual void open(int slot) = 0;
  // Ends the slot's sentence, which had `source` source and `target` target tokens.
  virtual void close(int slot, int source, int target) = 0;

  // Encodes tokens and keeps the state that later steps need. A sentence's tokens are adjacent and
  // follow those encoded before.
  virtual void encode(std::span<const SourceToken> tokens) = 0;

  // Whether probability() works: if the model has the classifier (`meaning_units` and
  // `sentence_starts` in model/package/config.h) and the device supports it.
  virtual bool supports(StateClassifier /*classifier*/) const { return false; }
  // Returns the classifier's probability for the source token at `position`. REQUIRES: supports(),
  // and the token is encoded.
  virtual float probability(StateClassifier /*classifier*/, int /*slot*/, int /*position*/) const {
    return 0;
  }

  // Whether a step may see the source of another slot.
  virtual bool shares_sources() const { return false; }
  // Copies the first `count` encoded tokens of slot `from` to slot `to`. REQUIRES:
  // shares_sources().
  virtual void copy_source(int /*from*/, int /*to*/, int /*count*/) {}

  // Whether decode() fills DecoderStep::attention; otherwise it stays empty.
  virtual bool supports_attention() const { return false; }

  // Whether decode() finds StepOutcome::peak.
  virtual bool finds_peaks() const { return false; }

  // Computes one step for each sentence. REQUIRES: each slot occurs once, outcomes.size() ==
  // steps.size(). A complete step may be repeated for the same target_index; target_index 0
  // restarts the translation.
  virtual void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) = 0;
};

}  // namespace surtitle
