#include "model/cpu/work_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace surtitle {
namespace {

// Every token is in one share, sentences are whole, and no two shares differ by more than the
// longest sentence.
TEST(WorkShares, HoldEverySentenceOnceAndAreAboutEqual) {
  std::mt19937 random(5);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<SourceToken> tokens;
    std::size_t longest = 0;
    const int sentences = 1 + static_cast<int>(random() % 12);
    for (int slot = 0; slot < sentences; ++slot) {
      const auto length = 1 + random() % 30;
      longest = std::max<std::size_t>(longest, length);
      for (unsigned position = 0; position < length; ++position)
        tokens.push_back({.slot = slot, .position = static_cast<int>(position)});
    }
    const int shares = 1 + static_cast<int>(random() % 4);
    const auto by_share = divide(sentences_of(tokens), shares);
    ASSERT_EQ(by_share.size(), static_cast<std::size_t>(shares));
    std::vector<int> seen(tokens.size());
    std::vector<std::size_t> sizes;
    for (const auto& ranges : by_share) {
      sizes.push_back(0);
      for (const auto& range : ranges) {
        sizes.back() += range.size();
        EXPECT_EQ(tokens[range.begin].position, 0);
        EXPECT_TRUE(range.end == tokens.size() || tokens[range.end].position == 0);
        for (auto i = range.begin; i < range.end; ++i) {
          EXPECT_EQ(tokens[i].slot, tokens[range.begin].slot);
          ++seen[i];
        }
      }
    }
    EXPECT_EQ(seen, std::vector<int>(tokens.size(), 1));
    const auto [smallest, largest] = std::ranges::minmax(sizes);
    EXPECT_LE(largest - smallest, longest);
  }
}

TEST(WorkShares, AreNoSmallerThanATile) {
  EXPECT_EQ(shares_for(0, 4), 1);
  EXPECT_EQ(shares_for(11, 4), 1);
  EXPECT_EQ(shares_for(12, 4), 2);
  EXPECT_EQ(shares_for(1000, 4), 4);
}

}  // namespace
}  // namespace surtitle
