// Sinusoidal positions that are added to embeddings.
#pragma once

#include <vector>

#include "model/package/config.h"

namespace surtitle {

// Returns [positions, width], width even. A row has the sines of a_i, then the cosines of a_i, with
// a_i = n / 10000^(i / steps), i from 0 to width / 2 - 1. The kinds differ in n and steps:
// - kFairseq: steps = width / 2 - 1, and n counts from 2;
// - kMarian: the same, and n counts from 0;
// - kTransformers: steps = width / 2, and n counts from 0.
// Thread-safety: may be called from any thread.
std::vector<float> make_sinusoids(int positions, int width, Positions kind = Positions::kFairseq);

}  // namespace surtitle
