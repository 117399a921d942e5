// Inference on a CUDA device, in builds that have one (SURTITLE_CUDA); kept apart from LibTorch's
// headers.
#pragma once

#include <memory>

#include "model/inference.h"
#include "model/package.h"
#include "model/translator.h"

namespace surtitle {

// Whether this machine has a device.
bool cuda_available();
std::unique_ptr<Inference> make_cuda_inference(const Package& package,
                                               const TranslatorOptions& options);

}  // namespace surtitle
