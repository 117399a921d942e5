// Where the heads of hard monotonic attention stop at a step (model/torch/mma.h), and what the
// step therefore sees: the same for the whole sentence, for LibTorch and for the CPU's inference.
//
// Head h goes on from where it stopped at the step before, t_h, and stops at the first token whose
// energy says so, in the whole source if need be; a head that finds none stops at the last token.
// Of the furthest stop p the policy says how many tokens V the step sees, at least those up to p;
// with V tokens no stop is beyond V - 1. A policy that does not look at p says V without it. Else a
// head that runs beyond what is encoded makes the step wait for one token more: neither V nor a
// stop depends on what has come when, and nothing that was looked at is left out of V.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "model/engine/inference.h"

namespace surtitle {

// `energies` of head h [tokens encoded] begin h * stride behind those of the first. `stops` [H]:
// those of the step before (0 before the first step), replaced. Returns V; where that is more than
// step.encoded, the step waits and the stops mean nothing.
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
  const bool looks =
      visible_at(step, 0) != visible_at(step, std::numeric_limits<double>::infinity());
  if (looks) visible = std::max(visible, furthest + 1);
  for (double& stop : stops) stop = std::min<double>(stop, visible - 1);
  return visible;
}

}  // namespace surtitle
