// Compares an Inference with the released GMA model, step by step.
//
// It uses every gma_model_* file of the golden folder. With the released decoder's input forced,
// the same token must be the most likely after the same number of source tokens.
#pragma once

#include <functional>
#include <memory>

#include "model/engine/inference.h"
#include "model/package/package.h"

namespace surtitle {

// Makes an Inference with one slot of 1024 positions.
using MakeInference = std::function<std::unique_ptr<Inference>(const Package&)>;

// Expects the token's logit to be within `tolerance` of the largest.
void expect_golden_models(const MakeInference& make, double tolerance);

}  // namespace surtitle
