// The whole-sentence computation that streaming must equal.
#pragma once

#include <gtest/gtest.h>

#include "model/torch/transformer.h"
#include "tests/model/support/streaming.h"

namespace surtitle {

// Returns whether one teacher-forced pass over the whole sentence chooses exactly these tokens and
// reads. If it chooses end of sentence before all source was seen, the policy's READ is applied and
// the pass is repeated.
testing::AssertionResult equals_whole_sentence(const Transformer& model, const Policy& policy,
                                               const Streamed& streamed);

}  // namespace surtitle
