// Stops of hard monotonic heads (model/torch/mma.h), and the source that a step sees.
//
// Whole-sentence decoding, LibTorch and the CPU's inference share this code.
//
// Head h starts at its stop of the step before, t_h, and stops at the first token whose energy
// reaches the threshold. A head that finds none in the whole source stops at the last token. From
// the furthest stop p the policy gives the number of tokens V that the step sees, at least those up
// to p. With V tokens, no stop is beyond V - 1.
//
// A policy that ignores p gives V without it. Under any other policy, a head that runs beyond the
// encoded tokens makes the step wait for one token more. So neither V nor a stop depends on arrival
// times, and V includes every token that a head examined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "model/engine/inference.h"

namespace surtitle {

// `energies` of head h [tokens encoded] begin h * stride after those of the first. `stops` [H]:
// those of the step before (0 before the first step), replaced. Returns V. If V is more than
// step.encoded, the step waits and the stops are invalid. Thread-safety: may be called from any
// thread.
template <typename Number>
int find_stops(const DecoderStep& step, const Number* energies, std::ptrdiff_t stride,
               std::span<double> stops) {
  const int count = std::min(step.encoded, step.max_visible);
  const auto threshold = static_cast<double>(step.policy->stop_threshold());
  const double least = std::log(threshold / (1 - threshold));
  int furthest = 0;
  for (double& stop : stops) {
    auto j = static_cast<int>(stop);
    while (j < count && !(static_cast<double>(energies[j]) >= least)) ++j;
    stop = j;
    furthest = std::max(furthest, j);
    energies += stride;
  }
  if (count == step.max_visible) furthest = std::min(furthest, count - 1);
  int visible = visible_at(step, furthest);
  const bool policy_uses_position =
      visible_at(step, 0) != visible_at(step, std::numeric_limits<double>::infinity());
  if (policy_uses_position) visible = std::max(visible, furthest + 1);
  for (double& stop : stops) stop = std::min<double>(stop, visible - 1);
  return visible;
}

}  // namespace surtitle
