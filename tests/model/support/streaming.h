// Translates sentences on an engine as streams do: several at once, tokens at random ticks.
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
  std::vector<int> reads;            // of every write, including the end's

  bool operator==(const Streamed&) const = default;
};

// Returns one result for each of `sources`, translated `at_once` at a time. `target`: for
// Translator::translate_into().
std::vector<Streamed> stream(Engine& engine, const std::vector<std::vector<int>>& sources,
                             const PolicyPtr& policy, std::size_t at_once, std::mt19937& random,
                             int target = 0);

// Returns every sentence of both test sets, as tokens.
std::vector<std::vector<int>> test_sentences(const Tokenizer& tokenizer);

}  // namespace surtitle
