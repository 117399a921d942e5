// Policies that make drafts: the bookkeeping by hand, and the engine compared with translating
// every prefix from the beginning.

#include "model/engine/draft_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "model/text/tokenizer.h"
#include "policies/registry.h"
#include "tests/model/support/greedy.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/streaming.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> take_all(DraftDecoder& track, const std::vector<int>& tokens, bool whole) {
  std::vector<int> written;
  for (const int token : tokens)
    for (const int one : track.accept(token, whole)) written.push_back(one);
  return written;
}

TEST(DraftDecoder, WritesWhatTwoDraftsBeginWith) {
  DraftDecoder track({.agreeing = 2, .every = 3});
  EXPECT_EQ(track.visible(), 3);
  EXPECT_THAT(take_all(track, {10, 11, 12, kEndOfSentence}, false), IsEmpty());
  EXPECT_EQ(track.visible(), 6);
  EXPECT_EQ(track.target_index(), 0);
  EXPECT_EQ(track.previous(), kEndOfSentence);
  EXPECT_THAT(take_all(track, {10, 11, 99, 13, kEndOfSentence}, false), ElementsAre(10, 11));
}

TEST(DraftDecoder, ForcesWhatWasWrittenWhateverIsPredicted) {
  DraftDecoder track({.agreeing = 2, .every = 1});
  take_all(track, {10, 11, kEndOfSentence}, false);
  take_all(track, {10, 12, kEndOfSentence}, false);  // writes 10
  track.accept(77, false);
  EXPECT_EQ(track.target_index(), 1);
  EXPECT_EQ(track.previous(), 10);
  EXPECT_THAT(take_all(track, {12, kEndOfSentence}, false), ElementsAre(12));
}

TEST(DraftDecoder, WritesAllOfTheLastDraftAsItComes) {
  DraftDecoder track({.agreeing = 3, .every = 1});
  take_all(track, {10, kEndOfSentence}, false);
  EXPECT_THAT(track.accept(20, true), ElementsAre(20));
  EXPECT_THAT(track.accept(21, true), ElementsAre(21));
  EXPECT_THAT(track.accept(kEndOfSentence, true), IsEmpty());
}

TEST(DraftDecoder, GoesOnWhereTheLastDraftWouldEndInsideWhatWasWritten) {
  DraftDecoder track({.agreeing = 2, .every = 1});
  take_all(track, {10, 11, kEndOfSentence}, false);
  take_all(track, {10, 11, kEndOfSentence}, false);  // writes 10 and 11
  EXPECT_THAT(take_all(track, {10, kEndOfSentence}, true), IsEmpty());
  EXPECT_FALSE(track.complete());
  EXPECT_THAT(take_all(track, {12, kEndOfSentence}, true), ElementsAre(12));
  EXPECT_TRUE(track.complete());
}

TEST(DraftDecoder, WaitsForAsManyDraftsAsMustAgree) {
  DraftDecoder track({.agreeing = 3, .every = 1});
  EXPECT_THAT(take_all(track, {10, 11, kEndOfSentence}, false), IsEmpty());
  EXPECT_THAT(take_all(track, {10, 11, kEndOfSentence}, false), IsEmpty());
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), ElementsAre(10));
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), IsEmpty()) << "11 against 12";
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), ElementsAre(12));
}

TEST(DraftDecoder, DraftsAtTheEndOfEachMeaningUnit) {
  DraftDecoder track({.agreeing = 1, .unit_end_threshold = 0.5F});
  const std::vector<float> unit_ends = {0.1F, 0.6F, 0.4F, 0.2F, 0.5F};
  const auto unit_end = [&](int position) {
    return unit_ends.at(static_cast<std::size_t>(position));
  };
  track.extend_visibility(1, unit_end);
  EXPECT_EQ(track.visible(), kWholeSource);
  track.extend_visibility(5, unit_end);
  EXPECT_EQ(track.visible(), 2);
  track.extend_visibility(5, unit_end);
  EXPECT_EQ(track.visible(), 2) << "the draft under way";
  EXPECT_THAT(take_all(track, {10, 11, kEndOfSentence}, false), ElementsAre(10, 11));
  EXPECT_EQ(track.visible(), kWholeSource);
  track.extend_visibility(5, unit_end);
  EXPECT_EQ(track.visible(), 5);
  EXPECT_THAT(take_all(track, {77, 77, 12, kEndOfSentence}, false), ElementsAre(12));
}

TEST(DraftDecoder, WritesWhatIsForcedWhereDraftsAgreeOnOther) {
  DraftDecoder track({.agreeing = 2, .every = 1});
  track.force({10, 11, 12});
  take_all(track, {10, 77, 78, kEndOfSentence}, false);
  EXPECT_THAT(take_all(track, {10, 77, 79, kEndOfSentence}, false), ElementsAre(10, 11));
  take_all(track, {10, 11, 77, 13, kEndOfSentence}, false);
  EXPECT_THAT(take_all(track, {10, 11, 77, 13, kEndOfSentence}, false), ElementsAre(12))
      << "13 came after 77";
  take_all(track, {10, 11, 12, 14, kEndOfSentence}, false);
  EXPECT_THAT(take_all(track, {10, 11, 12, 14, kEndOfSentence}, false), ElementsAre(14));
}

TEST(DraftDecoder, GoesOnAsEverWhereDraftsAgreeOnWhatIsForced) {
  DraftDecoder track({.agreeing = 2, .every = 1});
  track.force({10});
  take_all(track, {10, 11, 77, kEndOfSentence}, false);
  EXPECT_THAT(take_all(track, {10, 11, 78, kEndOfSentence}, false), ElementsAre(10, 11));
}

TEST(DraftDecoder, TheLastDraftHasAllThatIsForced) {
  DraftDecoder track({.agreeing = 2, .every = 1});
  track.force({10, 11});
  EXPECT_THAT(take_all(track, {kEndOfSentence, 77}, true), ElementsAre(10, 11));
  EXPECT_FALSE(track.complete());
  EXPECT_THAT(take_all(track, {12, kEndOfSentence}, true), ElementsAre(12));
  EXPECT_TRUE(track.complete());
}

struct Translated {
  std::vector<int> tokens;
  std::vector<int> reads;
  bool operator==(const Translated&) const = default;
};

Translated to_translated(const Streamed& streamed) {
  return {{streamed.target.begin(), streamed.target.end()}, streamed.reads};
}

std::ostream& operator<<(std::ostream& out, const Translated& translated) {
  return out << ::testing::PrintToString(translated.tokens) << " after "
             << ::testing::PrintToString(translated.reads);
}

// A model with random weights under a policy that makes drafts.
class EngineUnderDrafts : public testing::TestWithParam<const char*> {
 protected:
  EngineUnderDrafts() {
    const ModelConfig config{.d_model = 16,
                             .heads = 2,
                             .ffn = 32,
                             .encoder_layers = 2,
                             .decoder_layers = 2,
                             .source_vocabulary = 24,
                             .target_vocabulary = 24,
                             .cross_attention = {DotProductOptions()},
                             .meaning_units = true};
    package_ = std::make_unique<Package>(random_package(config, folder_.path()));
  }

  std::unique_ptr<CpuInference> inference() const {
    return std::make_unique<CpuInference>(
        *package_, CpuInference::Options{.slots = kSlots,
                                         .source_positions = source_positions(kMaxSource),
                                         .target_positions = target_positions(kMaxSource)});
  }

  std::vector<std::vector<int>> random_sources(int count) const {
    std::mt19937 random(5);
    std::vector<std::vector<int>> sources(static_cast<std::size_t>(count));
    const int vocabulary = package_->description.architecture.source_vocabulary;
    for (auto& source : sources) {
      source.resize(1 + random() % kMaxSource);
      for (int& token : source)
        token = 4 + static_cast<int>(random() % static_cast<unsigned>(vocabulary - 4));
    }
    return sources;
  }

  // Returns the number of source tokens that each draft sees; the last draft sees all.
  std::vector<std::size_t> draft_lengths(CpuInference& inference,
                                         const std::vector<int>& source) const {
    const auto rule = *policy_->drafting();
    std::vector<std::size_t> lengths;
    translate_greedily(inference, source);  // computes unit ends
    for (std::size_t length = 1; length < source.size(); ++length) {
      const bool ends =
          rule.unit_end_threshold > 0
              ? inference.probability(StateClassifier::kUnitEnd, 0, static_cast<int>(length) - 1) >=
                    rule.unit_end_threshold
              : length % static_cast<std::size_t>(rule.every) == 0;
      if (ends) lengths.push_back(length);
    }
    lengths.push_back(source.size());
    return lengths;
  }

  Translated from_the_beginning(CpuInference& inference, std::vector<int> source) const {
    source.push_back(kEndOfSentence);
    const auto agreeing = static_cast<std::size_t>(policy_->drafting()->agreeing);
    Translated result;
    std::vector<std::vector<int>> drafts;
    for (const auto length : draft_lengths(inference, source)) {
      const bool whole = length == source.size();
      const auto seen = std::span(source).first(length);
      drafts.push_back(translate_greedily(inference, seen, result.tokens));
      auto count = drafts.back().size();
      if (!whole && drafts.size() < agreeing) continue;
      for (auto other = drafts.end() - static_cast<std::ptrdiff_t>(agreeing);
           !whole && other != drafts.end(); ++other)
        while (count > other->size() ||
               !std::equal(other->begin(), other->begin() + static_cast<std::ptrdiff_t>(count),
                           drafts.back().begin()))
          --count;
      while (result.tokens.size() < count) {
        result.tokens.push_back(drafts.back()[result.tokens.size()]);
        result.reads.push_back(static_cast<int>(seen.size()));
      }
    }
    result.reads.push_back(static_cast<int>(source.size()));  // the end of sentence
    return result;
  }

  static constexpr int kSlots = 7;
  static constexpr int kMaxSource = 24;
  PolicyPtr policy_ = make_policy(GetParam());
  TemporaryFolder folder_;
  std::unique_ptr<Package> package_;
};

TEST_P(EngineUnderDrafts, WritesWhatTranslatingEveryPrefixFromTheBeginningGives) {
  const auto sources = random_sources(30);
  const auto reference = inference();
  Engine engine(package_->description, {.max_sentences = kSlots, .max_source_tokens = kMaxSource},
                inference());
  std::mt19937 random(11);
  const auto streamed = stream(engine, sources, policy_, kSlots, random);
  for (std::size_t i = 0; i < sources.size(); ++i)
    EXPECT_EQ(to_translated(streamed[i]), from_the_beginning(*reference, sources[i]))
        << "sentence " << i;
}

// Forces tokens that the model itself would not predict, as different arithmetic might.
TEST_P(EngineUnderDrafts, GoesOnFromWhatIsForced) {
  const auto reference = inference();
  Engine engine(package_->description, {.max_sentences = kSlots, .max_source_tokens = kMaxSource},
                inference());
  for (auto source : random_sources(30)) {
    const std::vector<int> forced = {7, 11, 5};
    const SentenceId id = *engine.open(policy_);
    engine.force(id, forced);
    engine.read(id, source);
    engine.finish(id);
    std::vector<Write> writes;
    while (engine.tick(writes)) {
    }
    engine.close(id);

    source.push_back(kEndOfSentence);
    std::vector<int> tokens = forced;
    std::vector<int> before_last_draft = forced;
    for (const Write& write : writes) {
      if (write.end) continue;
      tokens.push_back(write.token);
      if (write.read < static_cast<int>(source.size())) before_last_draft.push_back(write.token);
    }
    EXPECT_EQ(tokens, translate_greedily(*reference, source, before_last_draft));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EngineUnderDrafts,
                         testing::Values("local-agreement", "local-agreement:drafts=3,every=2",
                                         "local-agreement:drafts=2,every=5",
                                         "local-agreement:every=2147483647", "mu",
                                         "mu:threshold=0.7"));

}  // namespace
}  // namespace surtitle
