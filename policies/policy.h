// Decides READ or WRITE for simultaneous translation.
//
// Every policy is one monotone function: how many source tokens target step i may see, and must
// therefore wait for. The action is READ while visible_source exceeds the received tokens and the
// source is not finished; otherwise WRITE. The attention mask is exactly that prefix, even if more
// source has arrived. The decision depends on the sentence, the model and the policy alone, never
// on timing.
//
// Thread-safety: a Policy is immutable; share it freely.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace surtitle {

// "All of the source": larger than any sentence.
inline constexpr int kWholeSource = std::numeric_limits<int>::max();

// How a policy that translates the source repeatedly makes its drafts.
//
// Draft n (from 1) sees the first n * `every` source tokens, or those up to the end of the next
// unit. The last draft sees the whole sentence, and all of its tokens are written. A draft begins
// with the tokens that are already written. The common beginning of `agreeing` successive drafts is
// written.
struct Drafting {
  int agreeing = 2;  // 1: each draft is written
  int every = 1;     // source tokens
  // If above 0, it replaces `every`: a unit ends at a token to which the model gives at least this
  // probability.
  float unit_end_threshold = 0;
  // With a causal encoder, a draft begins after the written tokens, which are not computed again.
  bool continues = false;
  // If above 0, each word is a unit, whatever the model predicts, and a draft other than the last
  // ends before the first token whose attention is largest at one of the last `held_words` words
  // that it sees. REQUIRES: unit_end_threshold is above 0.
  int held_words = 0;
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // Returns the number of source tokens (end-of-sentence included) that target step `target_index`
  // (from 0) may see, at least 1. `aligned_position` is p of the decoder layer that asks (source
  // tokens, from 0). Policies that do not use alignment ignore it.
  virtual int visible_source(int target_index, double aligned_position) const = 0;

  // How visible_source() uses the aligned position, for devices that keep the position in their own
  // memory. A number r: the count is ceil(float(aligned_position) + r), a float32 sum, and at least
  // 1; it depends on the position alone. nullopt: the count ignores the position.
  virtual std::optional<float> alignment_offset() const { return std::nullopt; }

  // The probability from which a head of monotonic attention stops (model/torch/mma.h), between 0
  // and 1.
  virtual float stop_threshold() const { return 0.5F; }

  // The registered name, such as "gma".
  virtual std::string name() const = 0;

  // The spec from which make_policy() makes this policy, such as "gma:delta=1.5".
  virtual std::string spec() const = 0;

  // Returns the name of the policy with which a model has to be trained to suit this one.
  virtual std::string training_family() const { return name(); }

  // How drafts are made, or nullopt if each token is written when it is predicted.
  virtual std::optional<Drafting> drafting() const { return std::nullopt; }
};

using PolicyPtr = std::shared_ptr<const Policy>;

}  // namespace surtitle
