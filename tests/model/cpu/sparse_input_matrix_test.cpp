#include "model/cpu/sparse_input_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace surtitle {
namespace {

class SparseInputMatrixTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Int8Matrix::supported()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  }

  std::vector<float> values(std::int64_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> result(static_cast<std::size_t>(count));
    for (auto& value : result) value = normal(random_);
    return result;
  }

  // Returns what a ReLU leaves of numbers of which `below_zero` of ten are below zero.
  std::vector<float> rectified(std::int64_t count, unsigned below_zero) {
    auto result = values(count);
    for (auto& value : result) value = random_() % 10 < below_zero ? 0.0F : std::abs(value);
    return result;
  }

  std::mt19937 random_{1};
  QuantizedRows memory_;
};

// Returns numbers rounded to 127 steps of the largest.
std::vector<double> rounded(const float* x, std::int64_t count) {
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    largest = std::max(largest, std::abs(static_cast<double>(x[i])));
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(largest > 0 ? std::round(x[i] / largest * 127) * largest / 127 : 0);
  return result;
}

TEST_F(SparseInputMatrixTest, MultipliesRoundedNumbersExactly) {
  for (const std::int64_t outputs : {1, 15, 63, 64, 65, 130, 320}) {
    for (const std::int64_t inputs : {1, 7, 64, 129}) {
      for (const std::int64_t rows : {1, 2, 7, 8, 33}) {
        const auto weight = values(outputs * inputs);
        const auto x = rectified(rows * inputs, random_() % 11);
        const auto bias = values(outputs);
        std::vector<float> y(static_cast<std::size_t>(rows * outputs));
        SparseInputMatrix(weight.data(), outputs, inputs)
            .multiply(collect_rows(x.data(), rows, inputs, memory_),
                      {.bias = bias.data(), .count = outputs, .y = y.data(), .stride = outputs});
        for (std::int64_t n = 0; n < outputs; ++n) {
          const auto w = rounded(&weight[static_cast<std::size_t>(n * inputs)], inputs);
          for (std::int64_t r = 0; r < rows; ++r) {
            const auto of_row = rounded(&x[static_cast<std::size_t>(r * inputs)], inputs);
            double expected = bias[static_cast<std::size_t>(n)];
            for (std::size_t i = 0; i < w.size(); ++i) expected += w[i] * of_row[i];
            // A number between two steps may be rounded to either.
            ASSERT_NEAR(y[static_cast<std::size_t>(r * outputs + n)], expected, 0.1)
                << outputs << " x " << inputs << ", row " << r << " of " << rows << ", output "
                << n;
          }
        }
      }
    }
  }
}

TEST_F(SparseInputMatrixTest, GivesARowTheSameBitsInEveryBatchAndPiece) {
  constexpr std::int64_t kOutputs = 200;
  constexpr std::int64_t kInputs = 96;
  constexpr std::int64_t kRows = 23;
  const auto weight = values(kOutputs * kInputs);
  const auto x = rectified(kRows * kInputs, 8);
  const SparseInputMatrix matrix(weight.data(), kOutputs, kInputs);
  std::vector<float> together(kRows * kOutputs);
  matrix.multiply(collect_rows(x.data(), kRows, kInputs, memory_),
                  {.count = kOutputs, .y = together.data(), .stride = kOutputs});
  for (const std::int64_t first : {0, 64, 192}) {
    const auto count = kOutputs - first;
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<float> alone(static_cast<std::size_t>(count));
      matrix.multiply(collect_rows(x.data() + row * kInputs, 1, kInputs, memory_),
                      {.first = first, .count = count, .y = alone.data(), .stride = count});
      for (std::int64_t n = 0; n < count; ++n)
        ASSERT_EQ(alone[static_cast<std::size_t>(n)],
                  together[static_cast<std::size_t>(row * kOutputs + first + n)]);
    }
  }
}

TEST_F(SparseInputMatrixTest, StoresRectifiesOrAddsAndWritesNothingBeside) {
  const std::vector<float> weight = {1, -1};
  const std::vector<float> x = {3, 5};
  for (const auto& [epilogue, expected] :
       {std::pair{Epilogue::kStore, std::vector<float>{3, -3, 10, 5, -5, 10}},
        {Epilogue::kRelu, {3, 0, 10, 5, 0, 10}},
        {Epilogue::kAdd, {13, 7, 10, 15, 5, 10}}}) {
    std::vector<float> y(6, 10.0F);
    SparseInputMatrix(weight.data(), 2, 1)
        .multiply(collect_rows(x.data(), 2, 1, memory_),
                  {.count = 2, .y = y.data(), .stride = 3, .epilogue = epilogue});
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << i;
  }
}

TEST_F(SparseInputMatrixTest, TakesRowsOfZerosAndNoRows) {
  const std::vector<float> zeros(32);
  const std::vector<float> ones(16, 1.0F);
  std::vector<float> y(2, 7.0F);
  const SparseInputMatrix matrix(ones.data(), 1, 16);
  matrix.multiply(collect_rows(zeros.data(), 0, 16, memory_),
                  {.count = 1, .y = y.data(), .stride = 1});
  EXPECT_EQ(y, (std::vector<float>{7, 7}));
  matrix.multiply(collect_rows(zeros.data(), 2, 16, memory_),
                  {.count = 1, .y = y.data(), .stride = 1});
  EXPECT_EQ(y, (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace surtitle
