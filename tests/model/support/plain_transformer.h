// A Transformer's equations, as plain loops in double precision over whole prefixes.
//
// For architectures that only imported models have; tests/model/torch has the reference for others.
#pragma once

#include <span>
#include <vector>

#include "model/package/package.h"

namespace surtitle {

struct PlainStep {
  std::vector<double> logits;  // [target vocabulary]
  // [layers][heads][positions]: the cross-attention of the step. A bidirectional encoder appends
  // the end of sentence to a source without it, which is a position too.
  std::vector<std::vector<std::vector<double>>> attention;
};

// Returns the step that follows the tokens `target`. Step i, from 0, sees the first visible[i]
// tokens of `source`. REQUIRES: dot-product attention, visible.size() == target.size() + 1.
PlainStep plain_step(const Package& package, std::span<const int> source,
                     std::span<const int> target, std::span<const int> visible);

}  // namespace surtitle
