#include "model/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "model/cpu/simd.h"

namespace surtitle {
namespace {

std::vector<float> values(std::size_t count, float deviation) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> result(count);
  for (auto& value : result) value = normal(random);
  return result;
}

TEST(VectorMath, ExponentialIsThatOfTheLibrary) {
  for (float x = -87; x <= 88; x += 0.37F) {
    FloatVector vector = FloatVector{} + x;
    exponential(vector);
    EXPECT_NEAR(static_cast<double>(vector[3]) / std::exp(static_cast<double>(x)), 1, 3e-7) << x;
  }
  FloatVector ends = {-1000, 1000, 0};
  exponential(ends);
  EXPECT_LT(ends[0], 1e-37F);
  EXPECT_TRUE(std::isfinite(ends[1]));
  EXPECT_EQ(ends[2], 1.0F);
}

TEST(VectorMath, NormalisesRows) {
  for (const std::size_t width : {2U, 8U, 16U, 20U, 256U}) {
    const auto gain = values(width, 1);
    const auto bias = values(width, 2);
    auto x = values(3 * width, 5);
    const auto before = x;
    layer_norm(x.data(), 3, static_cast<std::int64_t>(width), gain.data(), bias.data(), x.data());
    for (std::size_t row = 0; row < 3; ++row) {
      double mean = 0;
      double variance = 0;
      for (std::size_t i = 0; i < width; ++i) mean += before[row * width + i];
      mean /= static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        variance += std::pow(before[row * width + i] - mean, 2) / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i)
        EXPECT_NEAR(x[row * width + i],
                    (before[row * width + i] - mean) / std::sqrt(variance + 1e-5) *
                            static_cast<double>(gain[i]) +
                        static_cast<double>(bias[i]),
                    2e-5);
    }
  }
}

TEST(VectorMath, SumsProductsOfTanh) {
  for (const std::size_t width : {1U, 16U, 20U, 256U}) {
    const auto x = values(width, 3);
    const auto v = values(width + 1, 1);
    double expected = 0;
    for (std::size_t i = 0; i < width; ++i)
      expected += std::tanh(static_cast<double>(x[i])) * static_cast<double>(v[i]);
    EXPECT_NEAR(dot_tanh(x.data(), v.data(), static_cast<std::int64_t>(width)), expected, 1e-5);
  }
}

TEST(VectorMath, FindsTheLargest) {
  for (const std::size_t count : {1U, 15U, 16U, 40U, 512U}) {
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<float> x(count, -2.0F);
      x[at] = -1;
      EXPECT_EQ(largest(x.data(), static_cast<std::int64_t>(count)), -1.0F);
    }
  }
}

TEST(VectorMath, PriorIsGaussianAroundP) {
  std::vector<float> prior(9);
  log_gaussian(2.5F, 1.25F, 9, prior.data());
  for (int j = 0; j < 9; ++j)
    EXPECT_NEAR(prior[static_cast<std::size_t>(j)], -std::pow(2.5 - j, 2) / (2 * 1.25 * 1.25),
                1e-5);
}

}  // namespace
}  // namespace surtitle
