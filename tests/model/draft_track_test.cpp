// Local agreement: its bookkeeping by hand, and the engine under it against translating every
// prefix from the beginning.

#include "model/draft_track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "model/cpu_inference.h"
#include "model/engine.h"
#include "model/tokenizer.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"
#include "tests/model/streaming.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> take_all(DraftTrack& track, const std::vector<int>& tokens, bool whole) {
  std::vector<int> written;
  for (const int token : tokens)
    for (const int one : track.take(token, whole)) written.push_back(one);
  return written;
}

TEST(DraftTrack, WritesWhatTwoDraftsBeginWith) {
  DraftTrack track({.agreeing = 2, .every = 3});
  EXPECT_EQ(track.visible(), 3);
  EXPECT_THAT(take_all(track, {10, 11, 12, kEndOfSentence}, false), IsEmpty());
  EXPECT_EQ(track.visible(), 6);
  EXPECT_EQ(track.target_index(), 0);
  EXPECT_EQ(track.previous(), kEndOfSentence);
  EXPECT_THAT(take_all(track, {10, 11, 99, 13, kEndOfSentence}, false), ElementsAre(10, 11));
}

TEST(DraftTrack, ForcesWhatWasWrittenWhateverIsPredicted) {
  DraftTrack track({.agreeing = 2, .every = 1});
  take_all(track, {10, 11, kEndOfSentence}, false);
  take_all(track, {10, 12, kEndOfSentence}, false);  // writes 10
  track.take(77, false);
  EXPECT_EQ(track.target_index(), 1);
  EXPECT_EQ(track.previous(), 10);
  EXPECT_THAT(take_all(track, {12, kEndOfSentence}, false), ElementsAre(12));
}

TEST(DraftTrack, WritesAllOfTheLastDraftAsItComes) {
  DraftTrack track({.agreeing = 3, .every = 1});
  take_all(track, {10, kEndOfSentence}, false);
  EXPECT_THAT(track.take(20, true), ElementsAre(20));
  EXPECT_THAT(track.take(21, true), ElementsAre(21));
  EXPECT_THAT(track.take(kEndOfSentence, true), IsEmpty());
}

TEST(DraftTrack, WaitsForAsManyDraftsAsMustAgree) {
  DraftTrack track({.agreeing = 3, .every = 1});
  EXPECT_THAT(take_all(track, {10, 11, kEndOfSentence}, false), IsEmpty());
  EXPECT_THAT(take_all(track, {10, 11, kEndOfSentence}, false), IsEmpty());
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), ElementsAre(10));
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), IsEmpty()) << "11 against 12";
  EXPECT_THAT(take_all(track, {10, 12, kEndOfSentence}, false), ElementsAre(12));
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

// The first golden model under local agreement.
class EngineUnderLocalAgreement : public testing::TestWithParam<const char*> {
 protected:
  EngineUnderLocalAgreement() {
    package_ = std::make_unique<Package>(
        golden_package(golden_files("gma_model_", ".safetensors").front()));
  }

  std::unique_ptr<CpuInference> inference() const {
    return std::make_unique<CpuInference>(
        *package_, CpuInference::Options{.slots = kSlots,
                                         .source_positions = source_positions(kMostSource),
                                         .target_positions = target_positions(kMostSource)});
  }

  std::vector<std::vector<int>> random_sources(int count) const {
    std::mt19937 random(5);
    std::vector<std::vector<int>> sources(static_cast<std::size_t>(count));
    const int vocabulary = package_->description.architecture.source_vocabulary;
    for (auto& source : sources) {
      source.resize(1 + random() % kMostSource);
      for (int& token : source)
        token = 4 + static_cast<int>(random() % static_cast<unsigned>(vocabulary - 4));
    }
    return sources;
  }

  // Encodes so much of the source in a fresh slot and translates it, `forced` first.
  std::vector<int> draft(CpuInference& inference, std::span<const int> source,
                         const std::vector<int>& forced) const {
    inference.open(0);
    std::vector<SourceToken> tokens;
    for (std::size_t i = 0; i < source.size(); ++i)
      tokens.push_back({.slot = 0, .position = static_cast<int>(i), .token = source[i]});
    inference.encode(tokens);
    const int length = static_cast<int>(source.size());
    std::vector<int> target;
    while (true) {
      const int index = static_cast<int>(target.size());
      const DecoderStep step{.slot = 0,
                             .target_index = index,
                             .previous = target.empty() ? kEndOfSentence : target.back(),
                             .encoded = length,
                             .most_visible = length,
                             .policy = policy_.get()};
      StepOutcome outcome;
      inference.decode(std::span(&step, 1), std::span(&outcome, 1));
      EXPECT_EQ(outcome.visible, length);
      int token = index >= 2 * length + 16 ? kEndOfSentence : outcome.token;
      if (target.size() < forced.size()) token = forced[target.size()];
      if (token == kEndOfSentence) break;
      target.push_back(token);
    }
    inference.close(0, length, static_cast<int>(target.size()) + 1);
    return target;
  }

  Translated from_the_beginning(CpuInference& inference, std::vector<int> source) const {
    source.push_back(kEndOfSentence);
    const auto rule = *policy_->drafting();
    const auto agreeing = static_cast<std::size_t>(rule.agreeing);
    Translated result;
    std::vector<std::vector<int>> drafts;
    for (auto length = static_cast<std::size_t>(rule.every);;
         length += static_cast<std::size_t>(rule.every)) {
      const bool whole = length >= source.size();
      const auto seen = std::span(source).first(std::min(length, source.size()));
      drafts.push_back(draft(inference, seen, result.tokens));
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
      if (whole) {
        result.reads.push_back(static_cast<int>(seen.size()));  // the end of sentence
        return result;
      }
    }
  }

  static constexpr int kSlots = 7;
  static constexpr int kMostSource = 24;
  PolicyPtr policy_ = make_policy(GetParam());
  std::unique_ptr<Package> package_;
};

TEST_P(EngineUnderLocalAgreement, WritesWhatTranslatingEveryPrefixFromTheBeginningGives) {
  const auto sources = random_sources(30);
  const auto reference = inference();
  Engine engine(package_->description, {.max_sentences = kSlots, .max_source_tokens = kMostSource},
                inference());
  std::mt19937 random(11);
  const auto streamed = stream(engine, sources, policy_, kSlots, random);
  for (std::size_t i = 0; i < sources.size(); ++i)
    EXPECT_EQ(to_translated(streamed[i]), from_the_beginning(*reference, sources[i]))
        << "sentence " << i;
}

INSTANTIATE_TEST_SUITE_P(Policies, EngineUnderLocalAgreement,
                         testing::Values("local-agreement", "local-agreement:drafts=3,every=2",
                                         "local-agreement:drafts=2,every=5"));

}  // namespace
}  // namespace surtitle
