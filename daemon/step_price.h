// What a translator's work costs before there are streams.
//
// Thread-safety: none; the translator's own thread.
#pragma once

#include <functional>

#include "daemon/admission.h"
#include "daemon/clock.h"
#include "model/translator.h"

namespace surtitle {

inline constexpr Seconds kLongestMeasurement{0.2};

// Translates sentences of nothing, one, some and many side by side, and closes them; all of it
// twice, because the first time is a cold one. That takes some tens of milliseconds. Where steps
// take long, so many sentences have as many steps as begin within kLongestMeasurement, at least
// one. REQUIRES: no sentence is open. Throws what the translator throws.
WorkPrice measure_price(Translator& translator, const std::function<TimePoint()>& now);

}  // namespace surtitle
