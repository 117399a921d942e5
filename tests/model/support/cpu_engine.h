// An engine on one thread of the CPU, for tests that need no other.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"

namespace surtitle {

inline std::unique_ptr<Engine> cpu_engine(const Package& package, int slots, int max_source_tokens,
                                          Precision precision = Precision::kFloat32,
                                          const Tokenizers& tokenizers = {},
                                          const std::vector<std::vector<int>>& prefixes = {}) {
  std::size_t longest = 0;
  for (const auto& prefix : prefixes) longest = std::max(longest, prefix.size());
  return std::make_unique<Engine>(
      package.description,
      TranslatorOptions{.max_sentences = slots, .max_source_tokens = max_source_tokens},
      std::make_unique<CpuInference>(
          package, CpuInference::Options{.precision = precision,
                                         .threads = 1,
                                         .slots = slots,
                                         .source_positions = source_positions(max_source_tokens) +
                                                             static_cast<int>(longest),
                                         .target_positions = target_positions(max_source_tokens)}),
      tokenizers, prefixes);
}

}  // namespace surtitle
