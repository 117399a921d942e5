// Translates a prefix by itself, from the beginning.
#pragma once

#include <span>
#include <vector>

#include "model/cpu/cpu_inference.h"

namespace surtitle {

// Encodes the source in a fresh slot 0 and translates it greedily, `forced` first. Every step sees
// the whole source. The caller adds an end of sentence to `source` if it needs one.
std::vector<int> translate_greedily(CpuInference& inference, std::span<const int> source,
                                    const std::vector<int>& forced = {});

}  // namespace surtitle
