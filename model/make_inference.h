// The Inference that TranslatorOptions ask for, without the engine around it.
#pragma once

#include <memory>

#include "model/inference.h"
#include "model/package.h"
#include "model/translator.h"

namespace surtitle {

// With options.max_sentences slots for sentences of options.max_source_tokens. Throws
// std::invalid_argument with what is allowed.
std::unique_ptr<Inference> make_inference(const Package& package, const TranslatorOptions& options);

}  // namespace surtitle
