#include "model/prefix_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace surtitle {
namespace {

struct Sentence {
  std::vector<float> query;      // [C]
  std::vector<float> key_value;  // [length, 2C]
  std::vector<float> bias;       // [length]
};

Sentence random_sentence(int width, int length, std::mt19937& random) {
  std::normal_distribution<float> normal;
  const auto fill = [&](int count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (auto& value : values) value = normal(random);
    return values;
  };
  return {fill(width), fill(length * 2 * width), fill(length)};
}

std::vector<float> attend(const Sentence& sentence, int heads, int d, int visible, bool biased) {
  std::vector<float> context(sentence.query.size(), -1.0F);
  std::vector<float> scores;
  attend_prefix({.query = sentence.query.data(),
                 .key_value = sentence.key_value.data(),
                 .bias = biased ? sentence.bias.data() : nullptr,
                 .visible = visible,
                 .context = context.data()},
                heads, d, scores);
  return context;
}

std::vector<double> definition(const Sentence& sentence, int heads, int d, int visible,
                               bool biased) {
  const int width = heads * d;
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  std::vector<double> context(at(width));
  for (int h = 0; h < heads; ++h) {
    std::vector<double> weights;
    double sum = 0;
    for (int j = 0; j < visible; ++j) {
      double score = biased ? sentence.bias[at(j)] : 0.0F;
      for (int c = h * d; c < (h + 1) * d; ++c)
        score += static_cast<double>(sentence.query[at(c)]) *
                 static_cast<double>(sentence.key_value[at(j * 2 * width + c)]);
      weights.push_back(std::exp(score));
      sum += weights.back();
    }
    for (int j = 0; j < visible; ++j)
      for (int c = h * d; c < (h + 1) * d; ++c)
        context[at(c)] += weights[at(j)] / sum *
                          static_cast<double>(sentence.key_value[at((j * 2 + 1) * width + c)]);
  }
  return context;
}

TEST(PrefixAttention, EqualsTheDefinition) {
  std::mt19937 random(3);
  for (const auto& [heads, d] : {std::pair{1, 1}, {2, 8}, {4, 16}, {3, 20}, {4, 64}}) {
    const auto sentence = random_sentence(heads * d, 40, random);
    for (const int visible : {1, 2, 17, 40}) {
      for (const bool biased : {false, true}) {
        const auto context = attend(sentence, heads, d, visible, biased);
        const auto expected = definition(sentence, heads, d, visible, biased);
        for (std::size_t c = 0; c < context.size(); ++c)
          ASSERT_NEAR(context[c], expected[c], 1e-5)
              << heads << " heads of " << d << ", " << visible;
      }
    }
  }
}

TEST(PrefixAttention, SeesNothingBehindThePrefix) {
  std::mt19937 random(4);
  auto sentence = random_sentence(32, 9, random);
  const auto before = attend(sentence, 2, 16, 5, /*biased=*/true);
  for (std::size_t i = 5 * 64; i < sentence.key_value.size(); ++i)
    sentence.key_value[i] = std::nanf("");
  for (std::size_t j = 5; j < sentence.bias.size(); ++j) sentence.bias[j] = std::nanf("");
  EXPECT_EQ(attend(sentence, 2, 16, 5, /*biased=*/true), before);
}

TEST(PrefixAttention, StaysFiniteWhereScoresAreFarApart) {
  std::mt19937 random(5);
  auto sentence = random_sentence(16, 3, random);
  sentence.bias = {-1000.0F, 0.0F, -2000.0F};
  const auto context = attend(sentence, 1, 16, 3, /*biased=*/true);
  for (std::size_t c = 0; c < context.size(); ++c)
    EXPECT_NEAR(context[c], sentence.key_value[(1 * 2 + 1) * 16 + c], 1e-6);
}

}  // namespace
}  // namespace surtitle
