// Opens the sentencepiece module.
#pragma once

#include "model/text/sentencepiece_module.h"

namespace surtitle {

// Returns the module's functions. The first call opens the module; see open_module().
// Thread-safety: may be called from any thread. Throws std::runtime_error as open_module().
const sentencepiece_module::Functions& sentencepiece_functions();

}  // namespace surtitle
