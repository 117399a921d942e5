#include "model/cpu/packed_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace surtitle {
namespace {

std::vector<float> random_values(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (auto& value : values) value = normal(random);
  return values;
}

std::size_t size_of(std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); }

TEST(PackedMatrix, MultipliesAsTheDefinitionSays) {
  std::mt19937 random(1);
  for (const std::int64_t outputs : {1, 15, 16, 17, 64, 100, 256}) {
    for (const std::int64_t inputs : {1, 7, 64, 129}) {
      for (const std::int64_t rows : {1, 2, 5, 6, 7, 13, 32}) {
        const auto weight = random_values(size_of(outputs, inputs), random);
        const auto x = random_values(size_of(rows, inputs), random);
        const auto bias = random_values(static_cast<std::size_t>(outputs), random);
        std::vector<float> y(size_of(rows, outputs));
        PackedMatrix(weight.data(), outputs, inputs)
            .multiply({.x = x.data(), .rows = rows}, {.bias = bias.data(),
                                                      .first = 0,
                                                      .count = outputs,
                                                      .y = y.data(),
                                                      .stride = outputs});
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t n = 0; n < outputs; ++n) {
            double expected = bias[static_cast<std::size_t>(n)];
            for (std::int64_t i = 0; i < inputs; ++i)
              expected += static_cast<double>(weight[static_cast<std::size_t>(n * inputs + i)]) *
                          static_cast<double>(x[static_cast<std::size_t>(r * inputs + i)]);
            ASSERT_NEAR(y[static_cast<std::size_t>(r * outputs + n)], expected,
                        2e-6 * std::sqrt(inputs) * (std::abs(expected) + 10))
                << outputs << " x " << inputs << ", row " << r << ", output " << n;
          }
        }
      }
    }
  }
}

TEST(PackedMatrix, GivesARowTheSameBitsInEveryBatchAndPiece) {
  constexpr std::int64_t kOutputs = 200;
  constexpr std::int64_t kInputs = 96;
  constexpr std::int64_t kRows = 23;
  std::mt19937 random(2);
  const auto weight = random_values(kOutputs * kInputs, random);
  const auto x = random_values(kRows * kInputs, random);
  const PackedMatrix matrix(weight.data(), kOutputs, kInputs);
  std::vector<float> together(kRows * kOutputs);
  matrix.multiply({.x = x.data(), .rows = kRows},
                  {.count = kOutputs, .y = together.data(), .stride = kOutputs});
  for (const std::int64_t first : {0, 16, 48, 192}) {
    const auto count = kOutputs - first;
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<float> alone(static_cast<std::size_t>(count));
      matrix.multiply({.x = x.data() + row * kInputs, .rows = 1},
                      {.first = first, .count = count, .y = alone.data(), .stride = count});
      for (std::int64_t n = 0; n < count; ++n)
        ASSERT_EQ(alone[static_cast<std::size_t>(n)],
                  together[static_cast<std::size_t>(row * kOutputs + first + n)]);
    }
  }
}

TEST(PackedMatrix, StoresRectifiesOrAdds) {
  const std::vector<float> weight = {1, -1};
  const std::vector<float> x = {3};
  for (const auto& [epilogue, expected] : {std::pair{Epilogue::kStore, std::vector<float>{3, -3}},
                                           {Epilogue::kRelu, {3, 0}},
                                           {Epilogue::kAdd, {13, 7}}}) {
    std::vector<float> y = {10, 10};
    PackedMatrix(weight.data(), 2, 1)
        .multiply({.x = x.data(), .rows = 1},
                  {.count = 2, .y = y.data(), .stride = 2, .epilogue = epilogue});
    EXPECT_EQ(y, expected);
  }
}

TEST(PackedMatrix, WritesNothingBesideItsOutputs) {
  const std::vector<float> weight(20 * 3, 1.0F);
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  std::vector<float> y(2 * 30, -7.0F);
  PackedMatrix(weight.data(), 20, 3)
      .multiply({.x = x.data(), .rows = 2}, {.count = 20, .y = y.data(), .stride = 30});
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], i % 30 >= 20 ? -7.0F : (i < 30 ? 6.0F : 15.0F)) << i;
}

}  // namespace
}  // namespace surtitle
