// Where the sentencepiece module is found and opened.
#pragma once

#include "model/text/sentencepiece_module.h"

namespace surtitle {

// The module's functions. The first call opens the module; see open_module(). Thread-safety: any
// thread. Throws std::runtime_error as open_module().
const sentencepiece_module::Functions& sentencepiece_functions();

}  // namespace surtitle
