// Makes the Inference that TranslatorOptions describe, without an engine.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <memory>
#include <vector>

#include "model/engine/inference.h"
#include "model/engine/translator.h"
#include "model/package/package.h"

namespace surtitle {

// Returns whether the options choose a CUDA device. Throws std::invalid_argument with the allowed
// values.
bool chooses_cuda(const TranslatorOptions& options);

// Makes an Inference with options.max_sentences slots for sentences of options.max_source_tokens,
// or fewer slots if a device's memory holds fewer. Throws std::invalid_argument with the allowed
// values.
std::unique_ptr<Inference> make_inference(const Package& package, const TranslatorOptions& options);

// Returns inferences that load_translators() (model/engine/translator.h) makes translators of.
std::vector<std::unique_ptr<Inference>> make_inferences(const Package& package,
                                                        const TranslatorOptions& options);

}  // namespace surtitle
