// What a translator's work costs before there are streams.
//
// Thread-safety: none; the translator's own thread.
#pragma once

#include "daemon/admission.h"
#include "daemon/environment.h"
#include "model/translator.h"

namespace surtitle {

// Translates a few sentences of nothing side by side, which takes some tens of milliseconds, and
// closes them. REQUIRES: no sentence is open. Throws what the translator throws.
WorkPrice measure_price(Translator& translator, const Environment& environment);

}  // namespace surtitle
