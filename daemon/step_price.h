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

// Translates sentences of nothing, one, some and many side by side, and closes them; all of it in
// rounds, at least two and others that begin within kLongestMeasurement. Of the same step in all
// rounds the quickest counts: the others were cold, or waited for a processor. That takes some
// tenths of a second. Where steps take long, so many sentences have as many steps as begin within
// kLongestMeasurement, at least one. REQUIRES: no sentence is open. Throws what the translator
// throws.
WorkPrice measure_price(Translator& translator, const std::function<TimePoint()>& now);

}  // namespace surtitle
