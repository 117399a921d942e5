#include "model/cpu/int8_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/util/row_quantization.h"

namespace surtitle {
namespace {

class Int8MatrixTest : public testing::Test {
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

  std::mt19937 random_{1};
  QuantizedRows memory_;
};

std::vector<double> rounded_to(double step, const float* x, std::int64_t count) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(step > 0 ? std::round(x[i] / step) * step : 0);
  return result;
}

// Returns weights rounded to 127 steps of the largest.
std::vector<double> rounded_weights(const float* w, std::int64_t count) {
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    largest = std::max(largest, std::abs(static_cast<double>(w[i])));
  return rounded_to(largest / 127, w, count);
}

// Returns inputs rounded to 126 steps of the largest sum of those of one sign among four.
std::vector<double> rounded_inputs(const float* x, std::int64_t count) {
  double largest = 0;
  for (std::int64_t chunk = 0; chunk < count; chunk += 8) {
    for (const std::int64_t first : {0, 2}) {
      double positive = 0;
      double negative = 0;
      for (const std::int64_t i : {0, 1, 4, 5}) {
        const std::int64_t at = chunk + first + i;
        if (at < count) (x[at] > 0 ? positive : negative) += x[at];
      }
      largest = std::max({largest, positive, -negative});
    }
  }
  return rounded_to(largest / 126, x, count);
}

TEST_F(Int8MatrixTest, MultipliesRoundedNumbersExactly) {
  for (const std::int64_t outputs : {1, 15, 16, 17, 64, 100, 256}) {
    for (const std::int64_t inputs : {1, 7, 64, 129}) {
      for (const std::int64_t rows : {1, 2, 3, 5, 6, 7, 13, 32}) {
        const auto weight = values(outputs * inputs);
        const auto x = values(rows * inputs);
        const auto bias = values(outputs);
        std::vector<float> y(static_cast<std::size_t>(rows * outputs));
        Int8Matrix(weight.data(), outputs, inputs)
            .multiply(quantize_rows(x.data(), rows, inputs, memory_),
                      {.bias = bias.data(), .count = outputs, .y = y.data(), .stride = outputs});
        for (std::int64_t n = 0; n < outputs; ++n) {
          const auto w = rounded_weights(&weight[static_cast<std::size_t>(n * inputs)], inputs);
          for (std::int64_t r = 0; r < rows; ++r) {
            const auto of_row = rounded_inputs(&x[static_cast<std::size_t>(r * inputs)], inputs);
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

// Numbers on a coarse grid are often near the middle between two bytes, where a product that is
// rounded before the sum, or not, gives different bytes.
TEST_F(Int8MatrixTest, RoundsWeightsTheSameOnEveryCpu) {
  std::vector<float> row(512);
  std::vector<std::int8_t> bytes(row.size());
  for (int repetition = 0; repetition < 1000; ++repetition) {
    float largest = 0;
    for (float& value : row) {
      value = static_cast<float>(static_cast<int>(random_() % 8193) - 4096) / 4096;
      largest = std::max(largest, std::abs(value));
    }
    quantize_row(row, bytes);
    const double factor = 127 / largest;
    for (std::size_t i = 0; i < row.size(); ++i)
      ASSERT_EQ(bytes[i], std::lrint(row[i] * factor)) << row[i] << " of " << largest;
  }
}

TEST_F(Int8MatrixTest, RoundsWeightsNearZeroToZeros) {
  for (const float tiny : {3e-37F, 1e-40F, 1e-45F}) {
    const std::vector<float> row = {tiny, 0, -tiny};
    std::vector<std::int8_t> bytes(row.size(), 99);
    quantize_row(row, bytes);
    EXPECT_EQ(bytes, (std::vector<std::int8_t>{0, 0, 0})) << tiny;
  }
}

TEST_F(Int8MatrixTest, GivesARowTheSameBitsInEveryBatchAndPiece) {
  constexpr std::int64_t kOutputs = 200;
  constexpr std::int64_t kInputs = 96;
  constexpr std::int64_t kRows = 23;
  const auto weight = values(kOutputs * kInputs);
  const auto x = values(kRows * kInputs);
  const Int8Matrix matrix(weight.data(), kOutputs, kInputs);
  std::vector<float> together(kRows * kOutputs);
  matrix.multiply(quantize_rows(x.data(), kRows, kInputs, memory_),
                  {.count = kOutputs, .y = together.data(), .stride = kOutputs});
  for (const std::int64_t first : {0, 16, 48, 192}) {
    const auto count = kOutputs - first;
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<float> alone(static_cast<std::size_t>(count));
      matrix.multiply(quantize_rows(x.data() + row * kInputs, 1, kInputs, memory_),
                      {.first = first, .count = count, .y = alone.data(), .stride = count});
      for (std::int64_t n = 0; n < count; ++n)
        ASSERT_EQ(alone[static_cast<std::size_t>(n)],
                  together[static_cast<std::size_t>(row * kOutputs + first + n)]);
    }
  }
}

TEST_F(Int8MatrixTest, StoresRectifiesOrAddsAndWritesNothingBeside) {
  const std::vector<float> weight = {1, -1};
  const std::vector<float> x = {3, -5};
  for (const auto& [epilogue, expected] :
       {std::pair{Epilogue::kStore, std::vector<float>{3, -3, 10, -5, 5, 10}},
        {Epilogue::kRelu, {3, 0, 10, 0, 5, 10}},
        {Epilogue::kAdd, {13, 7, 10, 5, 15, 10}}}) {
    std::vector<float> y(6, 10.0F);
    Int8Matrix(weight.data(), 2, 1)
        .multiply(quantize_rows(x.data(), 2, 1, memory_),
                  {.count = 2, .y = y.data(), .stride = 3, .epilogue = epilogue});
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5) << i;
  }
}

TEST_F(Int8MatrixTest, TakesRowsAndWeightsOfZeros) {
  const std::vector<float> zeros(32);
  const std::vector<float> ones(16, 1.0F);
  std::vector<float> y(2, 7.0F);
  Int8Matrix(zeros.data(), 2, 16)
      .multiply(quantize_rows(ones.data(), 1, 16, memory_),
                {.count = 2, .y = y.data(), .stride = 2});
  EXPECT_EQ(y, (std::vector<float>{0, 0}));
  Int8Matrix(ones.data(), 1, 16)
      .multiply(quantize_rows(zeros.data(), 2, 16, memory_),
                {.count = 1, .y = y.data(), .stride = 1});
  EXPECT_EQ(y, (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace surtitle
