// The Inference that TranslatorOptions ask for, without the engine around it.
#pragma once

#include <memory>

#include "model/inference.h"
#include "model/package.h"
#include "model/translator.h"

namespace surtitle {

// Whether that is one on a CUDA device. Throws std::invalid_argument with what is allowed.
bool takes_cuda(const TranslatorOptions& options);

// With options.max_sentences slots for sentences of options.max_source_tokens; with fewer where a
// device's memory holds fewer. Throws std::invalid_argument with what is allowed.
std::unique_ptr<Inference> make_inference(const Package& package, const TranslatorOptions& options);

}  // namespace surtitle
