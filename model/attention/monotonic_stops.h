// Where the heads of hard monotonic attention stop at a step (model/attention/mma.h), and what the
// step therefore sees: the same for the whole sentence, for LibTorch and for the CPU's inference.
//
// Head h goes on from where it stopped at the step before, t_h, and stops at the first token whose
// energy says so; where the step sees V tokens and none of them does, at token V - 1. V is the
// policy's, of the furthest stop in the whole source. A head that runs beyond what is encoded has a
// furthest stop that is not known yet. Then the step waits for one token more, unless the policy
// does not look at positions: so neither V nor a stop depends on what has come when.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "model/inference.h"

namespace surtitle {

// `energies` of head h [tokens encoded] begin h * stride behind those of the first. `stops` [H]:
// those of the step before (0 before the first step), replaced. Returns V; where that is more than
// step.encoded, the step waits and the stops mean nothing.
template <typename Number>
int find_stops(const DecoderStep& step, const Number* energies, std::ptrdiff_t stride,
               std::span<double> stops) {
  const int count = std::min(step.encoded, step.most_visible);
  const double threshold = static_cast<double>(step.policy->stop_threshold());
  const double least = std::log(threshold / (1 - threshold));
  int furthest = 0;
  for (double& stop : stops) {
    int j = static_cast<int>(stop);
    while (j < count && !(static_cast<double>(energies[j]) >= least)) ++j;
    stop = j;
    furthest = std::max(furthest, j);
    energies += stride;
  }
  int visible = 0;
  if (furthest < count || count == step.most_visible) {
    visible = visible_at(step, std::min(furthest, count - 1));
  } else {
    visible = visible_beyond(step, count);
  }
  for (double& stop : stops) stop = std::min<double>(stop, visible - 1);
  return visible;
}

}  // namespace surtitle
