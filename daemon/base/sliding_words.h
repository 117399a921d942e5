// Finds how far a recogniser's hypothesis has moved on within a longer text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns the number of words at the beginning of `known` that the hypothesis leaves out. It leaves
// out none if it begins where `known` does, and all if hardly a word is in both.
//
// The hypothesis is found in `known` by eight equal words in a row. Up to three words before them
// may differ. Fewer words suffice if they are the whole hypothesis or reach the end of `known`.
//
// `from`: the result for the previous hypothesis, because windows seldom move back. Thread-safety:
// may be called from any thread.
std::size_t words_left_out(const std::vector<std::string>& known,
                           const std::vector<std::string_view>& hypothesis, std::size_t from);

}  // namespace surtitle
