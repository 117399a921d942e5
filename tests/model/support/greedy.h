// A prefix translated by itself, from the beginning.
#pragma once

#include <span>
#include <vector>

#include "model/cpu/cpu_inference.h"

namespace surtitle {

// Encodes the source in a fresh slot 0 and translates it greedily, `forced` first; every step sees
// all of it. An end of sentence in `source` is the caller's.
std::vector<int> translate_greedily(CpuInference& inference, std::span<const int> source,
                                    const std::vector<int>& forced = {});

}  // namespace surtitle
