#include "model/cpu/kv_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "model/cpu/int8_matrix.h"

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

// Returns a cache with the sentence in the middle one of three slots, its tokens in order.
KvCache filled(const Sentence& sentence, int heads, int d, Precision precision) {
  const int width = heads * d;
  KvCache cache({.slots = 3, .positions = 40, .heads = heads, .d = d}, precision);
  KvCache::Scratch scratch;
  const int length = static_cast<int>(sentence.bias.size());
  for (int j = 0; j < length; ++j) {
    const float* key = sentence.key_value.data() + j * 2 * width;
    cache.write(1, j, key, key + width, scratch);
  }
  return cache;
}

class KvCacheTest : public testing::TestWithParam<Precision> {
 protected:
  void SetUp() override {
    if (GetParam() == Precision::kInt8 && !Int8Matrix::supported())
      GTEST_SKIP() << "this CPU has no instructions for bytes";
  }

  // 8 bits differ by a few steps of 1/127 for numbers around 1.
  static double tolerance() { return GetParam() == Precision::kInt8 ? 0.08 : 1e-5; }

  static KvCache fill(const Sentence& sentence, int heads, int d) {
    return filled(sentence, heads, d, GetParam());
  }

  // `weights` [H, visible], if given, is filled too.
  static std::vector<float> attend(const KvCache& cache, const Sentence& sentence, int visible,
                                   bool biased, float* weights = nullptr) {
    std::vector<float> context(sentence.query.size(), -1.0F);
    KvCache::Scratch scratch;
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
std::vector<double> blended(const KvCache::Query& query, const Sentence& sentence, int heads,
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

TEST_P(KvCacheTest, AttendsAsTheDefinitionSays) {
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

// The whole equation: additive scores, and a bias, a scale and an addition for each head.
TEST_P(KvCacheTest, BlendsAsTheDefinitionSays) {
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
        KvCache::Scratch scratch;
        const KvCache::Query query{.slot = 1,
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

TEST_P(KvCacheTest, ScoresAsItAttends) {
  std::mt19937 random(5);
  for (const auto& [heads, d] : {std::pair{1, 1}, {4, 16}, {3, 20}, {4, 64}}) {
    const auto sentence = random_sentence(heads * d, 40, random);
    const auto cache = fill(sentence, heads, d);
    for (const int visible : {1, 16, 17, 40}) {
      std::vector<float> weights(static_cast<std::size_t>(heads * visible));
      attend(cache, sentence, visible, /*biased=*/false, weights.data());
      std::vector<float> scores(weights.size());
      KvCache::Scratch scratch;
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

// Contexts of given weights of either sign: [kHeads * d] each.
constexpr int kGivenHeads = 3;
std::vector<float> attend_given(const KvCache& cache, const std::vector<float>& weights,
                                int width) {
  const auto visible = static_cast<int>(weights.size());
  const std::vector<float> query(static_cast<std::size_t>(width), 1.0F);
  const std::vector<float> none(weights.size());
  std::vector<float> context(static_cast<std::size_t>(width));
  KvCache::Scratch scratch;
  cache.attend({.slot = 1,
                .query = query.data(),
                .visible = visible,
                .context = context.data(),
                .scale = none.data(),
                .added = weights.data()},
               scratch);
  return context;
}

// A head's part of a sentence's values, in bytes.
struct ByteValues {
  std::vector<std::vector<std::int8_t>> bytes;  // [visible][d]
  std::vector<float> scales;                    // [visible]
};

ByteValues byte_values(const Sentence& sentence, int visible, int head, int d) {
  const int width = kGivenHeads * d;
  ByteValues values;
  for (int j = 0; j < visible; ++j) {
    auto& bytes = values.bytes.emplace_back(static_cast<std::size_t>(d));
    const float* value = sentence.key_value.data() + (j * 2 + 1) * width + head * d;
    values.scales.push_back(quantize(value, d, bytes.data()).scale);
  }
  return values;
}

TEST(Int8KvCacheTest, SumsBytesAsTheDefinitionSays) {
  if (!Int8Matrix::supported()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  std::mt19937 random(9);
  for (const int d : {1, 20, 64, 80}) {
    const auto sentence = random_sentence(kGivenHeads * d, 40, random);
    const auto cache = filled(sentence, kGivenHeads, d, Precision::kInt8);
    for (const int visible : {1, 3, 16, 18, 40}) {
      const auto weights = random_sentence(1, visible, random).bias;
      const auto context = attend_given(cache, weights, kGivenHeads * d);
      for (int h = 0; h < kGivenHeads; ++h) {
        const auto values = byte_values(sentence, visible, h, d);
        std::vector<float> scaled(weights.size());
        std::transform(weights.begin(), weights.end(), values.scales.begin(), scaled.begin(),
                       std::multiplies<>());
        float largest = 0;
        for (const float weight : scaled) largest = std::max(largest, std::abs(weight));
        for (int c = 0; c < d; ++c) {
          std::int64_t sum = 0;
          for (std::size_t j = 0; j < scaled.size(); ++j)
            sum += std::lrint(scaled[j] * (32639.0F / largest)) *
                   values.bytes[j][static_cast<std::size_t>(c)];
          ASSERT_EQ(context[static_cast<std::size_t>(h * d + c)],
                    static_cast<float>(sum) * (largest / 32639.0F))
              << d << " components, " << visible << " visible";
        }
      }
    }
  }
}

// The error of a value's byte is at most half a step, that of a weight half of its own step.
TEST(Int8KvCacheTest, StaysAsNearToFloat32AsItsSteps) {
  if (!Int8Matrix::supported()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  std::mt19937 random(10);
  constexpr int kD = 20;
  constexpr int kLength = 40;
  const auto sentence = random_sentence(kGivenHeads * kD, kLength, random);
  const auto weights = random_sentence(1, kLength, random).bias;
  const auto context = [&](Precision precision) {
    return attend_given(filled(sentence, kGivenHeads, kD, precision), weights, kGivenHeads * kD);
  };
  const auto exact = context(Precision::kFloat32);
  const auto rounded = context(Precision::kInt8);
  for (int h = 0; h < kGivenHeads; ++h) {
    const auto values = byte_values(sentence, kLength, h, kD);
    double of_values = 0;
    double largest = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double scaled = std::abs(static_cast<double>(weights[j] * values.scales[j]));
      of_values += scaled / 2;
      largest = std::max(largest, scaled);
    }
    const double of_weights = kLength * 127 * largest / 32639 / 2;
    for (int c = h * kD; c < (h + 1) * kD; ++c) {
      const auto at = static_cast<std::size_t>(c);
      EXPECT_NEAR(rounded[at], exact[at], of_values + of_weights + 1e-5);
    }
  }
}

TEST_P(KvCacheTest, DoesNotMindTheOrderOfWrites) {
  std::mt19937 random(7);
  for (const int d : {5, 64}) {
    const auto sentence = random_sentence(2 * d, 40, random);
    auto cache = fill(sentence, 2, d);
    const auto before = attend(cache, sentence, 40, /*biased=*/true);
    std::vector<int> order(40);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    KvCache::Scratch scratch;
    const std::vector<float> other(static_cast<std::size_t>(2 * d), -5.0F);
    for (const int j : order) cache.write(1, j, other.data(), other.data(), scratch);
    for (const int j : order) {
      const float* key = sentence.key_value.data() + j * 4 * d;
      cache.write(1, j, key, key + 2 * d, scratch);
    }
    EXPECT_EQ(attend(cache, sentence, 40, /*biased=*/true), before);
  }
}

TEST_P(KvCacheTest, SeesNothingBehindThePrefix) {
  std::mt19937 random(4);
  auto sentence = random_sentence(32, 9, random);
  auto cache = fill(sentence, 2, 16);
  const auto before = attend(cache, sentence, 5, /*biased=*/true);
  KvCache::Scratch scratch;
  const std::vector<float> other(32, 1e20F);
  for (int j = 5; j < 40; ++j) cache.write(1, j, other.data(), other.data(), scratch);
  for (std::size_t j = 5; j < sentence.bias.size(); ++j) sentence.bias[j] = 1e20F;
  EXPECT_EQ(attend(cache, sentence, 5, /*biased=*/true), before);
}

TEST_P(KvCacheTest, KeepsSlotsApart) {
  std::mt19937 random(6);
  const auto sentence = random_sentence(32, 40, random);
  auto cache = fill(sentence, 2, 16);
  const auto before = attend(cache, sentence, 40, /*biased=*/true);
  KvCache::Scratch scratch;
  const std::vector<float> other(32, 3.0F);
  for (const int slot : {0, 2})
    for (int j = 0; j < 40; ++j) cache.write(slot, j, other.data(), other.data(), scratch);
  cache.release(0, 40);
  cache.release(2, 40);
  EXPECT_EQ(attend(cache, sentence, 40, /*biased=*/true), before);
}

TEST_P(KvCacheTest, StaysFiniteWhereScoresAreFarApart) {
  std::mt19937 random(5);
  auto sentence = random_sentence(16, 3, random);
  sentence.bias = {-1000.0F, 0.0F, -2000.0F};
  std::vector<float> weights(3);
  const auto context = attend(fill(sentence, 1, 16), sentence, 3, /*biased=*/true, weights.data());
  for (std::size_t c = 0; c < context.size(); ++c)
    EXPECT_NEAR(context[c], sentence.key_value[(1 * 2 + 1) * 16 + c], tolerance());
  EXPECT_EQ(weights, (std::vector<float>{0, 1, 0}));
}

TEST_P(KvCacheTest, SaysWhatAPositionTakes) {
  const KvCache cache({.slots = 1, .positions = 16, .heads = 4, .d = 64}, GetParam());
  EXPECT_EQ(cache.bytes_per_position(), GetParam() == Precision::kInt8 ? 544U : 2048U);
}

std::string precision_name(const testing::TestParamInfo<Precision>& tested) {
  return tested.param == Precision::kInt8 ? "Int8" : "Float32";
}

INSTANTIATE_TEST_SUITE_P(Precisions, KvCacheTest,
                         testing::Values(Precision::kFloat32, Precision::kInt8), precision_name);

}  // namespace
}  // namespace surtitle
