// Sinusoidal positions that are added to embeddings.
#pragma once

#include <vector>

namespace surtitle {

// Returns [positions, width], width even. Row n is PE(n + 2), as fairseq counts positions from 2.
// Its first half has the sines, its second half the cosines. Thread-safety: may be called from any
// thread.
std::vector<float> make_sinusoids(int positions, int width);

}  // namespace surtitle
