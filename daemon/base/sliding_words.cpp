#include "daemon/base/sliding_words.h"

#include <algorithm>
#include <optional>

namespace surtitle {
namespace {

constexpr std::size_t kInARow = 8;   // fewer words are often repeated by chance
constexpr std::size_t kGarbled = 3;  // a window may begin in the middle of a word

using Words = std::vector<std::string>;
using Hypothesis = std::vector<std::string_view>;

// Returns the position of the hypothesis in `known`, at `from` or later.
std::optional<std::size_t> position_of(const Words& known, const Hypothesis& hypothesis,
                                       std::size_t from) {
  for (std::size_t garbled = 0; garbled <= kGarbled && garbled + kInARow <= hypothesis.size();
       ++garbled) {
    if (from + garbled > known.size()) {
      break;
    }
    const auto anchor = hypothesis.begin() + static_cast<std::ptrdiff_t>(garbled);
    const auto found = std::search(known.begin() + static_cast<std::ptrdiff_t>(from + garbled),
                                   known.end(), anchor, anchor + kInARow);
    if (found != known.end()) {
      return static_cast<std::size_t>(found - known.begin()) - garbled;
    }
  }
  return std::nullopt;
}

}  // namespace

std::size_t words_left_out(const Words& known, const Hypothesis& hypothesis, std::size_t from) {
  const std::size_t beginning = std::min({kInARow, known.size(), hypothesis.size()});
  if (std::equal(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(beginning),
                 hypothesis.begin())) {
    return 0;
  }
  const std::optional<std::size_t> position = position_of(known, hypothesis, from);
  return position ? *position : position_of(known, hypothesis, 0).value_or(0);
}

}  // namespace surtitle
