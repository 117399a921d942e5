#include "model/cpu_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

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

class CpuCacheTest : public testing::TestWithParam<Precision> {
 protected:
  void SetUp() override {
    if (GetParam() == Precision::kInt8 && !Int8Matrix::supported())
      GTEST_SKIP() << "no AVX512-VNNI";
  }

  // 8 bits are within a few steps of 1/127 of numbers around 1.
  static double tolerance() { return GetParam() == Precision::kInt8 ? 0.08 : 1e-5; }

  // The sentence in the middle one of three slots, its tokens in order.
  static CpuCache fill(const Sentence& sentence, int heads, int d) {
    const int width = heads * d;
    CpuCache cache({.slots = 3, .positions = 40, .heads = heads, .d = d}, GetParam());
    CpuCache::Scratch scratch;
    const int length = static_cast<int>(sentence.bias.size());
    for (int j = 0; j < length; ++j) {
      const float* key = sentence.key_value.data() + j * 2 * width;
      cache.write(1, j, key, key + width, scratch);
    }
    return cache;
  }

  // `weights` [H, visible], where given, is filled too.
  static std::vector<float> attend(const CpuCache& cache, const Sentence& sentence, int visible,
                                   bool biased, float* weights = nullptr) {
    std::vector<float> context(sentence.query.size(), -1.0F);
    CpuCache::Scratch scratch;
    cache.attend({.slot = 1,
                  .query = sentence.query.data(),
                  .bias = biased ? sentence.bias.data() : nullptr,
                  .visible = visible,
                  .context = context.data(),
                  .weights = weights},
                 scratch);
    return context;
  }
};

struct Attended {
  std::vector<double> context;  // [C]
  std::vector<double> weights;  // [H, visible]
};

Attended definition(const Sentence& sentence, int heads, int d, int visible, bool biased) {
  const int width = heads * d;
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  std::vector<double> context(at(width));
  std::vector<double> all;
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
    for (const double weight : weights) all.push_back(weight / sum);
    for (int j = 0; j < visible; ++j)
      for (int c = h * d; c < (h + 1) * d; ++c)
        context[at(c)] += weights[at(j)] / sum *
                          static_cast<double>(sentence.key_value[at((j * 2 + 1) * width + c)]);
  }
  return {context, all};
}

// The same for a query with all its parts.
std::vector<double> blended(const CpuCache::Query& query, const Sentence& sentence, int heads,
                            int d) {
  const int width = heads * d;
  const auto key_value = [&](int j, int c) {
    return static_cast<double>(sentence.key_value[static_cast<std::size_t>(j * 2 * width + c)]);
  };
  std::vector<double> context(static_cast<std::size_t>(width));
  for (int h = 0; h < heads; ++h) {
    const int curve = h * query.head_stride;
    std::vector<double> weights;
    double sum = 0;
    for (int j = 0; j < query.visible; ++j) {
      double score = query.bias[curve + j];
      for (int c = h * d; c < (h + 1) * d; ++c) {
        const auto component = static_cast<double>(query.query[c]);
        score += query.additive ? static_cast<double>(query.additive[c]) *
                                      std::tanh(component + key_value(j, c))
                                : component * key_value(j, c);
      }
      weights.push_back(std::exp(score));
      sum += weights.back();
    }
    for (int j = 0; j < query.visible; ++j) {
      const double weight =
          weights[static_cast<std::size_t>(j)] / sum * static_cast<double>(query.scale[curve + j]) +
          static_cast<double>(query.added[curve + j]);
      for (int c = h * d; c < (h + 1) * d; ++c)
        context[static_cast<std::size_t>(c)] += weight * key_value(j, width + c);
    }
  }
  return context;
}

TEST_P(CpuCacheTest, AttendsAsTheDefinitionSays) {
  std::mt19937 random(3);
  for (const auto& [heads, d] : {std::pair{1, 1}, {2, 8}, {4, 16}, {3, 20}, {4, 64}, {2, 80}}) {
    auto sentence = random_sentence(heads * d, 40, random);
    for (auto& value : sentence.query) value /= std::sqrt(static_cast<float>(d));
    const auto cache = fill(sentence, heads, d);
    for (const int visible : {1, 2, 16, 17, 40}) {
      for (const bool biased : {false, true}) {
        const auto context = attend(cache, sentence, visible, biased);
        const auto expected = definition(sentence, heads, d, visible, biased);
        for (std::size_t c = 0; c < context.size(); ++c)
          ASSERT_NEAR(context[c], expected.context[c], tolerance())
              << heads << " heads of " << d << ", " << visible;
        std::vector<float> weights(expected.weights.size());
        EXPECT_EQ(attend(cache, sentence, visible, biased, weights.data()), context);
        for (std::size_t j = 0; j < weights.size(); ++j)
          ASSERT_NEAR(weights[j], expected.weights[j], tolerance())
              << heads << " heads of " << d << ", " << visible;
      }
    }
  }
}

// The whole equation: additive scores, and a bias, a scale and an addition of each head's own.
TEST_P(CpuCacheTest, BlendsAsTheDefinitionSays) {
  std::mt19937 random(8);
  constexpr int kHeads = 2;
  constexpr int kLength = 21;
  for (const int d : {8, 20}) {
    const int width = kHeads * d;
    const auto sentence = random_sentence(width, kLength, random);
    const auto curves = random_sentence(kHeads * kLength, 2 * kHeads * kLength, random);
    const auto factors = random_sentence(width, 1, random).query;
    const auto cache = fill(sentence, kHeads, d);
    for (const int stride : {0, kLength}) {
      for (const bool additive : {false, true}) {
        std::vector<float> context(sentence.query.size());
        CpuCache::Scratch scratch;
        const CpuCache::Query query{.slot = 1,
                                    .query = sentence.query.data(),
                                    .bias = curves.query.data(),
                                    .visible = kLength,
                                    .context = context.data(),
                                    .scale = curves.bias.data(),
                                    .added = curves.key_value.data(),
                                    .head_stride = stride,
                                    .additive = additive ? factors.data() : nullptr};
        cache.attend(query, scratch);
        const auto expected = blended(query, sentence, kHeads, d);
        for (std::size_t c = 0; c < context.size(); ++c)
          ASSERT_NEAR(context[c], expected[c], kLength * tolerance())
              << "stride " << stride << ", additive " << additive;
      }
    }
  }
}

TEST_P(CpuCacheTest, ScoresAsItAttends) {
  std::mt19937 random(5);
  for (const auto& [heads, d] : {std::pair{1, 1}, {4, 16}, {3, 20}, {4, 64}}) {
    const auto sentence = random_sentence(heads * d, 40, random);
    const auto cache = fill(sentence, heads, d);
    for (const int visible : {1, 16, 17, 40}) {
      std::vector<float> weights(static_cast<std::size_t>(heads * visible));
      attend(cache, sentence, visible, /*biased=*/false, weights.data());
      std::vector<float> scores(weights.size());
      CpuCache::Scratch scratch;
      cache.score({.slot = 1, .query = sentence.query.data(), .visible = visible}, scratch,
                  scores.data());
      for (std::size_t first = 0; first < scores.size();
           first += static_cast<std::size_t>(visible)) {
        double sum = 0;
        for (int j = 0; j < visible; ++j)
          sum += std::exp(static_cast<double>(scores[first + static_cast<std::size_t>(j)]));
        for (int j = 0; j < visible; ++j) {
          const auto at = first + static_cast<std::size_t>(j);
          ASSERT_NEAR(weights[at], std::exp(static_cast<double>(scores[at])) / sum, 1e-5);
        }
      }
    }
  }
}

TEST_P(CpuCacheTest, SeesNothingBehindThePrefix) {
  std::mt19937 random(4);
  auto sentence = random_sentence(32, 9, random);
  auto cache = fill(sentence, 2, 16);
  const auto before = attend(cache, sentence, 5, /*biased=*/true);
  CpuCache::Scratch scratch;
  const std::vector<float> other(32, 1e20F);
  for (int j = 5; j < 40; ++j) cache.write(1, j, other.data(), other.data(), scratch);
  for (std::size_t j = 5; j < sentence.bias.size(); ++j) sentence.bias[j] = 1e20F;
  EXPECT_EQ(attend(cache, sentence, 5, /*biased=*/true), before);
}

TEST_P(CpuCacheTest, KeepsSlotsApart) {
  std::mt19937 random(6);
  const auto sentence = random_sentence(32, 40, random);
  auto cache = fill(sentence, 2, 16);
  const auto before = attend(cache, sentence, 40, /*biased=*/true);
  CpuCache::Scratch scratch;
  const std::vector<float> other(32, 3.0F);
  for (const int slot : {0, 2})
    for (int j = 0; j < 40; ++j) cache.write(slot, j, other.data(), other.data(), scratch);
  cache.release(0, 40);
  cache.release(2, 40);
  EXPECT_EQ(attend(cache, sentence, 40, /*biased=*/true), before);
}

TEST_P(CpuCacheTest, StaysFiniteWhereScoresAreFarApart) {
  std::mt19937 random(5);
  auto sentence = random_sentence(16, 3, random);
  sentence.bias = {-1000.0F, 0.0F, -2000.0F};
  const auto context = attend(fill(sentence, 1, 16), sentence, 3, /*biased=*/true);
  for (std::size_t c = 0; c < context.size(); ++c)
    EXPECT_NEAR(context[c], sentence.key_value[(1 * 2 + 1) * 16 + c], tolerance());
}

TEST_P(CpuCacheTest, SaysWhatAPositionTakes) {
  const CpuCache cache({.slots = 1, .positions = 16, .heads = 4, .d = 64}, GetParam());
  EXPECT_EQ(cache.bytes_per_position(), GetParam() == Precision::kInt8 ? 544U : 2048U);
}

std::string precision_name(const testing::TestParamInfo<Precision>& tested) {
  return tested.param == Precision::kInt8 ? "Int8" : "Float32";
}

INSTANTIATE_TEST_SUITE_P(Precisions, CpuCacheTest,
                         testing::Values(Precision::kFloat32, Precision::kInt8), precision_name);

}  // namespace
}  // namespace surtitle
