// Where the sentencepiece module is found and opened.
#pragma once

#include "model/sentencepiece_module.h"

namespace surtitle {

// The module's functions. The first call opens the module, which stands beside the running program,
// in
// ../lib/surtitle from there, or in the build folder; it is never closed. Thread-safety: any
// thread. Throws std::runtime_error saying where it was looked for, or the loader's reason.
const sentencepiece_module::Functions& sentencepiece_functions();

}  // namespace surtitle
