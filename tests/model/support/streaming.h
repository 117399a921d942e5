// Sentences through an engine as streams bring them: several at once, each token at a random tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "model/engine/engine.h"

namespace surtitle {

struct Streamed {
  std::vector<std::int64_t> source;  // ending with eos
  std::vector<std::int64_t> target;  // without eos
  std::vector<int> reads;            // of every write, the end's included

  bool operator==(const Streamed&) const = default;
};

// One for each of `sources`, `at_once` at a time.
std::vector<Streamed> stream(Engine& engine, const std::vector<std::vector<int>>& sources,
                             const PolicyPtr& policy, std::size_t at_once, std::mt19937& random);

// Every sentence of both test sets, as tokens.
std::vector<std::vector<int>> test_sentences(const Tokenizer& tokenizer);

}  // namespace surtitle
