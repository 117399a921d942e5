// The released GMA model against an Inference, step by step over every gma_model_* file of the
// golden folder: the released decoder's input forced, the same token most likely after the same
// number of source tokens.
#pragma once

#include <functional>
#include <memory>

#include "model/engine/inference.h"
#include "model/package/package.h"

namespace surtitle {

// With one slot of 1024 positions.
using MakeInference = std::function<std::unique_ptr<Inference>(const Package&)>;

// The token's logit is within `tolerance` of the largest.
void expect_golden_models(const MakeInference& make, double tolerance);

}  // namespace surtitle
