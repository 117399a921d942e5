#include "model/cpu/work_shares.h"

#include <algorithm>
#include <functional>

namespace surtitle {

int shares_for(std::size_t rows, int workers) {
  constexpr std::size_t kTileRows = 6;
  return static_cast<int>(
      std::clamp<std::size_t>(rows / kTileRows, 1, static_cast<std::size_t>(workers)));
}

std::size_t share_begin(std::size_t count, int index, int shares) {
  return count * static_cast<std::size_t>(index) / static_cast<std::size_t>(shares);
}

std::vector<TokenRange> sentences_of(std::span<const SourceToken> tokens) {
  std::vector<TokenRange> ranges;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == 0 || tokens[i].slot != tokens[i - 1].slot) ranges.push_back({i, i});
    ranges.back().end = i + 1;
  }
  return ranges;
}

std::vector<std::vector<TokenRange>> divide(std::vector<TokenRange> ranges, int shares) {
  std::ranges::stable_sort(ranges, std::greater{}, &TokenRange::size);
  std::vector<std::vector<TokenRange>> result(static_cast<std::size_t>(shares));
  std::vector<std::size_t> sizes(result.size());
  for (const auto& range : ranges) {
    const auto smallest = std::ranges::min_element(sizes);
    *smallest += range.size();
    result[static_cast<std::size_t>(smallest - sizes.begin())].push_back(range);
  }
  return result;
}

}  // namespace surtitle
