// Sinusoidal positions that are added to embeddings.
#pragma once

#include <vector>

namespace surtitle {

// Returns [positions, width], width even. Row n is PE(n + 2), first half sines, second half
// cosines. Thread-safety: may be called from any thread.
std::vector<float> make_sinusoids(int positions, int width);

}  // namespace surtitle
