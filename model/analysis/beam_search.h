// Beam search over whole sentences, for text that is translated offline.
//
// A daemon decodes greedily, because what it has written is final. Beam search keeps the `beam`
// best hypotheses of a sentence, and returns the one with the highest mean log-probability of its
// tokens, end of sentence included (length normalisation, Wu et al. 2016, section 7, with alpha =
// 1).
//
// Each hypothesis has a slot of a CpuInference. A sentence's result does not depend on the
// sentences beside it.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/cpu/cpu_linear.h"
#include "model/package/package.h"

namespace surtitle {

class BeamSearch {
 public:
  struct Options {
    int beam = 4;  // 1: greedy
    int threads = 1;
    Precision precision = Precision::kFloat32;
    int sentences = 16;       // under way at the same time
    int source_tokens = 512;  // of the longest sentence, without end of sentence
    int target_language = 0;  // index in Package::source_prefixes
  };
  BeamSearch(const Package& package, const Options& options);
  BeamSearch(const BeamSearch&) = delete;
  BeamSearch& operator=(const BeamSearch&) = delete;
  ~BeamSearch();

  // Returns the target tokens of each source, without end of sentence. A source without tokens has
  // none. A translation that reaches target_positions() ends there. `progress` (may be empty)
  // receives the number of finished sentences. Throws std::length_error if a source is longer than
  // Options::source_tokens.
  std::vector<std::vector<int>> run(std::span<const std::vector<int>> sources,
                                    const std::function<void(std::size_t)>& progress = {});

 private:
  class Search;

  std::unique_ptr<Search> search_;
};

}  // namespace surtitle
