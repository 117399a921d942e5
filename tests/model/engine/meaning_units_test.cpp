#include "model/engine/meaning_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "model/engine/engine.h"
#include "model/engine/state_classifier.h"
#include "model/text/tokenizer.h"
#include "tests/model/support/greedy.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kMaxSource = 9;

UnitExamples examples_of(std::vector<float> states, std::vector<bool> ends) {
  UnitExamples examples;
  examples.width = states.size() / ends.size();
  examples.states = std::move(states);
  examples.ends = std::move(ends);
  return examples;
}

TEST(FitUnitEnds, FindsTheMinimumOfTheLoss) {
  // Labels drawn from a known classifier; at the minimum no small step lowers the loss.
  constexpr std::size_t kWidth = 3;
  const std::vector<float> drawn_from = {2, -1, 0.5F, -0.3F};
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform;
  UnitExamples examples;
  examples.width = kWidth;
  for (int i = 0; i < 2000; ++i) {
    std::vector<float> state(kWidth);
    for (float& value : state) value = normal(random);
    examples.ends.push_back(uniform(random) < classifier_probability(drawn_from, state));
    examples.states.insert(examples.states.end(), state.begin(), state.end());
  }
  const auto loss = [&](const std::vector<float>& classifier) {
    double sum = 0;
    for (std::size_t c = 0; c < kWidth; ++c) sum += 0.5 * classifier[c] * classifier[c];
    for (std::size_t i = 0; i < examples.ends.size(); ++i) {
      const double p = classifier_probability(classifier, examples.state(i));
      sum -= std::log(examples.ends[i] ? p : 1 - p);
    }
    return sum;
  };
  const auto fitted = fit_unit_ends(examples);
  for (std::size_t c = 0; c <= kWidth; ++c) {
    EXPECT_NEAR(fitted[c], drawn_from[c], 0.3F);
    for (const float step : {-0.05F, 0.05F}) {
      auto beside = fitted;
      beside[c] += step;
      EXPECT_GT(loss(beside), loss(fitted));
    }
  }
}

TEST(FitUnitEnds, BearsExamplesThatCanBeToldApart) {
  const auto classifier = fit_unit_ends(examples_of({-1, -2, 3, 4}, {false, false, true, true}));
  EXPECT_LT(classifier_probability(classifier, std::vector<float>{-1}), 0.5F);
  EXPECT_GT(classifier_probability(classifier, std::vector<float>{3}), 0.5F);
}

TEST(FitUnitEnds, SaysWhereNothingCanBeLearnt) {
  EXPECT_THAT(
      [] {
        fit_unit_ends(examples_of({1, 2}, {false, false}));
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("of 2 source tokens none ends")));
  EXPECT_THAT(
      [] {
        fit_unit_ends(examples_of({1, 2}, {true, true}));
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("every one ends")));
}

class LabelUnits : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Package package_ = random_package({.d_model = 16,
                                     .heads = 2,
                                     .ffn = 32,
                                     .encoder_layers = 1,
                                     .decoder_layers = 1,
                                     .source_vocabulary = 12,
                                     .target_vocabulary = 12,
                                     .cross_attention = {DotProductOptions()}},
                                    folder_.path());

  std::vector<bool> ends_by_definition(std::vector<int> source) const {
    CpuInference inference(package_, {.slots = 1,
                                      .source_positions = source_positions(kMaxSource),
                                      .target_positions = target_positions(kMaxSource)});
    const std::size_t length = source.size();
    source.push_back(kEndOfSentence);
    const auto whole = translate_greedily(inference, source);
    std::vector<bool> ends;
    std::size_t longest = 0;
    for (std::size_t n = 1; n <= length; ++n) {
      const auto draft = translate_greedily(inference, std::span(source).first(n));
      ends.push_back(draft.size() > longest && draft.size() <= whole.size() &&
                     std::equal(draft.begin(), draft.end(), whole.begin()));
      if (ends.back()) longest = draft.size();
    }
    return ends;
  }
};

TEST_F(LabelUnits, EndsUnitsWhereAPrefixOfTheSourceGivesAPrefixOfTheTranslation) {
  std::mt19937 random(1);
  std::vector<std::vector<int>> sources(60);
  std::vector<bool> expected;
  for (auto& source : sources) {
    source.resize(1 + random() % kMaxSource);
    for (int& token : source) token = 4 + static_cast<int>(random() % 8);
    for (const bool ends : ends_by_definition(source)) expected.push_back(ends);
  }
  ASSERT_THAT(expected, testing::Contains(true))
      << "the model must end a unit, or this test shows nothing";
  const auto examples =
      label_units(package_, sources, {.sentences = 7, .source_tokens = kMaxSource});
  EXPECT_EQ(examples.ends, expected);
  EXPECT_EQ(examples.states.size(), 16 * expected.size());
}

TEST_F(LabelUnits, GivesTheStatesThatTheClassifierSeesInStreaming) {
  const std::vector<std::vector<int>> sources = {{5, 6, 7}, {8, 9}};
  auto config = package_.description.architecture;
  config.meaning_units = true;
  TemporaryFolder folder;
  const Package with = random_package(config, folder.path());
  const auto examples = label_units(with, sources, {.sentences = 2, .source_tokens = 3});
  const auto values = [&](const char* name) {
    const auto data = with.weights.find(name)->data;
    std::vector<float> read(data.size() / sizeof(float));
    std::memcpy(read.data(), data.data(), data.size());
    return read;
  };
  auto classifier = values("encoder.unit_end.weight");
  classifier.push_back(values("encoder.unit_end.bias").front());

  CpuInference inference(with, {.slots = 1, .source_positions = 4, .target_positions = 30});
  std::size_t at = 0;
  for (const auto& source : sources) {
    translate_greedily(inference, source);
    for (std::size_t i = 0; i < source.size(); ++i, ++at)
      EXPECT_FLOAT_EQ(inference.probability(StateClassifier::kUnitEnd, 0, static_cast<int>(i)),
                      classifier_probability(classifier, examples.state(at)));
  }
}

}  // namespace
}  // namespace surtitle
