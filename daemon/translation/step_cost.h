// Measures the cost of a translator's steps before there are streams.
//
// Thread-safety: none; must be called on the translator's thread.
#pragma once

#include <functional>

#include "daemon/base/clock.h"
#include "daemon/translation/step_cost_model.h"
#include "model/engine/translator.h"

namespace surtitle {

// The time limit of all rounds together, and of each batch size within a round. A round or a step
// that is running at the limit is completed.
inline constexpr Seconds kCalibrationLimit{0.2};

// Translates meaningless sentences: one, 8 and 32 at the same time, in two to six rounds. The
// shortest duration of each step counts, as the others were cold or waited for a processor.
//
// With the shipped models, this takes some tenths of a second. If steps are slow, it takes at most
// two rounds of three batch sizes, each kCalibrationLimit and one step. Throws what the translator
// throws. REQUIRES: no sentence is open.
StepCostModel calibrate_step_cost(Translator& translator, const std::function<TimePoint()>& now);

}  // namespace surtitle
