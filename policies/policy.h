// A policy decides READ or WRITE for simultaneous translation.
//
// Every policy of this family is one monotone function: how many source tokens target step i may
// see, and must therefore wait for. READ while visible_source > received and the sentence is not
// finished; else WRITE, and the attention mask is exactly that prefix, even if more has already
// arrived. The decision depends on the sentence, the model and the policy alone, never on timing.
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

// How a policy that translates the source again and again makes its drafts. A draft sees the first
// n * every source tokens, for n = 1, 2, ..., or those up to the end of the next meaning unit; and
// the last one the whole sentence. It begins with what was written. Tokens that so many drafts in a
// row begin with are written.
struct Drafting {
  int agreeing = 2;
  int every = 1;  // source tokens
  // Above 0, in place of `every`: a unit ends where the model gives it this probability.
  float unit_end = 0;
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // Number of source tokens (end-of-sentence included) that target step `target_index` (from 0) may
  // see, at least 1. `aligned_position` is p of the decoder layer that asks (source tokens, from
  // 0); policies that do not look at alignment ignore it.
  virtual int visible_source(int target_index, double aligned_position) const = 0;

  // How the count above looks at alignment, for devices that take it where the position is. A
  // number: it is ceil(float(aligned_position) + alignment_offset), a float32 sum, and at least 1,
  // of the position alone. None: it does not look at the position.
  virtual std::optional<float> alignment_offset() const { return std::nullopt; }

  // The probability of stopping at which a head of monotonic attention stops
  // (model/torch/mma.h), between 0 and 1.
  virtual float stop_threshold() const { return 0.5F; }

  // The registered name, "gma".
  virtual std::string name() const = 0;

  // The policy as make_policy() takes it, "gma:delta=1.5".
  virtual std::string spec() const = 0;

  // The name of the policy that a model for this one is trained for.
  virtual std::string training_family() const { return name(); }

  // Nothing for a policy that writes each token as it is predicted.
  virtual std::optional<Drafting> drafting() const { return std::nullopt; }
};

using PolicyPtr = std::shared_ptr<const Policy>;

}  // namespace surtitle
