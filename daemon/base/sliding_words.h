// Finds how far a recogniser's hypothesis has moved on within a longer text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns the number of words at the beginning of `known` that the hypothesis leaves out because
// its window has moved on; 0 if it begins where `known` does. The hypothesis is recognised by eight
// words in a row, of which up to three words at its beginning may be different, or by fewer words
// that are all of it or the end of `known`. It leaves out all of `known` if it has hardly a word in
// common with the window before. `from`: result for the hypothesis before, as windows seldom move
// back. Thread-safety: may be called from any thread.
std::size_t words_left_out(const std::vector<std::string>& known,
                           const std::vector<std::string_view>& hypothesis, std::size_t from);

}  // namespace surtitle
