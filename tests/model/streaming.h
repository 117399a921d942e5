// A sentence streamed through an Engine, and the whole-sentence computation that it must equal.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "model/engine.h"
#include "model/transformer.h"

namespace surtitle {

struct Streamed {
  std::vector<std::int64_t> source;  // ending with eos
  std::vector<std::int64_t> target;  // without eos
  std::vector<int> reads;            // of every write, the end's included
};

// Streams `sources` through the engine, `at_once` at a time, each token at a random tick.
std::vector<Streamed> stream(Engine& engine, const std::vector<std::vector<int>>& sources,
                             const PolicyPtr& policy, std::size_t at_once, std::mt19937& random);

// Whether one teacher-forced pass over the whole sentence chooses exactly these tokens and reads.
// Where it chooses end of sentence before all source was seen, the policy's READ is applied and the
// pass is made again.
testing::AssertionResult equals_whole_sentence(const Transformer& model, const Policy& policy,
                                               const Streamed& streamed);

}  // namespace surtitle
