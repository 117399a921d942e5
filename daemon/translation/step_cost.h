// What a translator's work costs before there are streams.
//
// Thread-safety: none; the translator's own thread.
#pragma once

#include <functional>

#include "daemon/base/clock.h"
#include "daemon/translation/admission_controller.h"
#include "model/engine/translator.h"

namespace surtitle {

// After it, no further round begins, and no further step of so many sentences side by side.
inline constexpr Seconds kMeasuring{0.2};

// Translates sentences of nothing, one, some and many side by side, and closes them; all of it in
// rounds, at least two. Of the same step in all rounds the quickest counts: the others were cold,
// or waited for a processor. With the shipped models that takes some tenths of a second; where
// steps take long, at most two rounds of three sizes, each kMeasuring and a step. REQUIRES: no
// sentence is open. Throws what the translator throws.
StepCostModel calibrate_step_cost(Translator& translator, const std::function<TimePoint()>& now);

}  // namespace surtitle
