// The Inference that TranslatorOptions ask for, without the engine around it.
#pragma once

#include <memory>

#include "model/engine/inference.h"
#include "model/engine/translator.h"
#include "model/package/package.h"

namespace surtitle {

// Whether that is one on a CUDA device. Throws std::invalid_argument with what is allowed.
bool takes_cuda(const TranslatorOptions& options);

// With options.max_sentences slots for sentences of options.max_source_tokens; with fewer where a
// device's memory holds fewer. Throws std::invalid_argument with what is allowed.
std::unique_ptr<Inference> make_inference(const Package& package, const TranslatorOptions& options);

}  // namespace surtitle
