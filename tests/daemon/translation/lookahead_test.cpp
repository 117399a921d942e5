#include "daemon/translation/lookahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// A translator that copies source token i as target token i once it has read `ahead` more. Like the
// batching loop, it begins again if the look-ahead requires it.
class Copier {
 public:
  explicit Copier(int ahead) : ahead_(ahead) {}

  void commit(const std::vector<int>& tokens) { follow(lookahead_.commit(tokens)); }
  void read_ahead(const std::vector<int>& tokens) { follow(lookahead_.read_ahead(tokens)); }
  void finish() {
    if (!lookahead_.finish()) {
      begin_again();
    }
    finished_ = true;
    write();
  }

  const std::vector<int>& released() const { return released_; }
  const Lookahead& lookahead() const { return lookahead_; }
  int steps() const { return steps_; }

 private:
  void follow(const std::optional<std::vector<int>>& more) {
    more ? static_cast<void>(source_.insert(source_.end(), more->begin(), more->end()))
         : begin_again();
    release();
    write();
  }

  void begin_again() {
    source_ = lookahead_.source();
    written_ = lookahead_.target().size();
  }

  void write() {
    lookahead_.reserve(source_.size());
    while (written_ < source_.size() &&
           (finished_ || written_ + static_cast<std::size_t>(ahead_) < source_.size())) {
      const int read = static_cast<int>(written_) + 1 + (finished_ ? 0 : ahead_);
      lookahead_.add({.key = {}, .token = source_[written_++], .read = read});
      ++steps_;
    }
    release();
  }

  void release() {
    std::vector<TranslationEvent> events;
    lookahead_.release(events);
    for (const TranslationEvent& event : events) {
      released_.push_back(event.token);
    }
  }

  const int ahead_;
  Lookahead lookahead_;
  std::vector<int> source_;
  std::size_t written_ = 0;
  bool finished_ = false;
  std::vector<int> released_;
  int steps_ = 0;
};

TEST(Lookahead, WithoutTokensAheadEverythingIsReleased) {
  Copier copier(1);
  copier.commit({1, 2});
  EXPECT_THAT(copier.released(), ElementsAre(1));
  copier.commit({3});
  copier.finish();
  EXPECT_THAT(copier.released(), ElementsAre(1, 2, 3));
}

TEST(Lookahead, HoldsWhatRestsOnTokensAhead) {
  Copier copier(1);
  copier.commit({1, 2});
  copier.read_ahead({3, 4});
  EXPECT_THAT(copier.released(), ElementsAre(1));
  EXPECT_THAT(copier.lookahead().draft(), ElementsAre(2, 3));
}

TEST(Lookahead, ReleasesWithoutAStepOnceTheTokensAreCommitted) {
  Copier copier(1);
  copier.commit({1, 2});
  copier.read_ahead({3, 4});
  const int steps = copier.steps();
  copier.commit({3});
  EXPECT_THAT(copier.released(), ElementsAre(1, 2));
  EXPECT_THAT(copier.lookahead().draft(), ElementsAre(3));
  copier.commit({4});
  EXPECT_THAT(copier.released(), ElementsAre(1, 2, 3));
  EXPECT_EQ(copier.steps(), steps);
}

TEST(Lookahead, BeginsAgainIfOtherTokensAreCommitted) {
  Lookahead lookahead({7});
  EXPECT_THAT(lookahead.commit(std::vector{1}), Optional(ElementsAre(1)));
  EXPECT_THAT(lookahead.read_ahead(std::vector{2, 3}), Optional(ElementsAre(2, 3)));
  EXPECT_EQ(lookahead.commit(std::vector{2, 4}), std::nullopt);
  EXPECT_THAT(lookahead.source(), ElementsAre(1, 2, 4));
  EXPECT_THAT(lookahead.target(), ElementsAre(7));
  EXPECT_THAT(lookahead.draft(), IsEmpty());
}

TEST(Lookahead, KeepsTokensThatAreNoLongerAheadUntilOthersFollow) {
  Copier copier(1);
  copier.commit({1});
  copier.read_ahead({2, 3});
  copier.read_ahead({2});
  EXPECT_THAT(copier.lookahead().draft(), ElementsAre(1));
  copier.read_ahead({2, 3, 4});
  EXPECT_THAT(copier.lookahead().draft(), ElementsAre(1, 2, 3));
}

TEST(Lookahead, SourceEndsBeforeTheTokensAhead) {
  Copier copier(1);
  copier.commit({1, 2});
  copier.read_ahead({3});
  copier.finish();
  EXPECT_THAT(copier.released(), ElementsAre(1, 2));
}

// The released tokens are those of a translator that reads nothing ahead.
TEST(Lookahead, ReleasedTokensDependOnCommittedSourceAlone) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto some = [&](int most) {
      std::vector<int> tokens(std::uniform_int_distribution<std::size_t>(0, most)(random));
      for (int& token : tokens) {
        token = std::uniform_int_distribution(1, 3)(random);
      }
      return tokens;
    };
    const int ahead = std::uniform_int_distribution(0, 3)(random);
    Copier copier(ahead);
    Copier plain(ahead);
    for (int i = 0; i < 12; ++i) {
      const std::vector<int> before = copier.released();
      if (random() % 2 == 0) {
        copier.read_ahead(some(4));
      } else {
        const std::vector<int> tokens = some(3);
        copier.commit(tokens);
        plain.commit(tokens);
      }
      ASSERT_EQ(copier.released(), plain.released()) << seed;
      ASSERT_TRUE(std::equal(before.begin(), before.end(), copier.released().begin())) << seed;
    }
    copier.finish();
    plain.finish();
    ASSERT_EQ(copier.released(), plain.released()) << seed;
  }
}

}  // namespace
}  // namespace surtitle
