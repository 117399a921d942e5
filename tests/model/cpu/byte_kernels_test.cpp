// Holds the 8-bit kernels of every set of instructions that this CPU has to the same sums.
#include "model/cpu/byte_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "model/cpu/int8_kv_cache.h"
#include "model/cpu/sparse_input_matrix.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

// AVX-VNNI's kernels in the EVEX encoding; nullptr unless the CPU has that one.
const ByteKernels* avx_vnni_kernels_as_evex();

namespace {

struct Named {
  std::string name;
  const ByteKernels* kernels;
};

std::vector<Named> available() {
  std::vector<Named> all;
  for (const auto set : {InstructionSet::kAvx2, InstructionSet::kAvxVnni,
                         InstructionSet::kAvx512Vnni, InstructionSet::kDotProduct})
    if (const auto* kernels = byte_kernels(set)) all.push_back({name_of(set), kernels});
  if (const auto* kernels = avx_vnni_kernels_as_evex())
    all.push_back({"avx-vnni in EVEX", kernels});
  return all;
}

// A product of bytes with known weights and inputs.
struct Product {
  std::int64_t outputs;
  std::int64_t inputs;
  std::int64_t rows;
  std::vector<int> weights;  // [outputs, inputs], from -127 to 127
  std::vector<float> scales;
  std::vector<float> bias;
  std::vector<std::int8_t> x;  // [rows, padded_inputs(inputs)]
  std::vector<float> row_scales;

  std::int64_t groups() const { return padded_inputs(inputs) / kGroup; }

  AlignedVector<std::uint8_t> panels() const {
    AlignedVector<std::uint8_t> bytes(
        static_cast<std::size_t>((outputs + kPanel - 1) / kPanel * kPanel * groups() * kGroup),
        kByteOffset);
    for (std::int64_t n = 0; n < outputs; ++n)
      for (std::int64_t i = 0; i < inputs; ++i)
        bytes[static_cast<std::size_t>(n / kPanel * groups() * kPanel * kGroup +
                                       i / kGroup * kPanel * kGroup + n % kPanel * kGroup +
                                       i % kGroup)] =
            static_cast<std::uint8_t>(kByteOffset +
                                      weights[static_cast<std::size_t>(n * inputs + i)]);
    return bytes;
  }

  float expected(std::int64_t row, std::int64_t n) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < inputs; ++i)
      sum += std::int64_t{weights[static_cast<std::size_t>(n * inputs + i)]} *
             x[static_cast<std::size_t>(row * padded_inputs(inputs) + i)];
    return std::fma(static_cast<float>(sum),
                    scales[static_cast<std::size_t>(n)] * row_scales[static_cast<std::size_t>(row)],
                    bias[static_cast<std::size_t>(n)]);
  }
};

// Returns the place of the i-th of four inputs whose products AVX2 sums in 16 bits.
std::int64_t in_chunk(std::int64_t four, std::int64_t i) {
  return four / 2 * kInputBlock + four % 2 * 2 + i / 2 * kGroup + i % 2;
}

class ByteKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (available().empty()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  }

  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random_);
  }

  // With `extreme`, weights are -127 or 127, and the sums of inputs are as large as they may be.
  Product product(bool extreme) {
    Product result{up_to(150), up_to(300), up_to(20), {}, {}, {}, {}, {}};
    for (std::int64_t i = 0; i < result.outputs * result.inputs; ++i)
      result.weights.push_back(extreme ? (random_() % 2 == 0 ? 127 : -127)
                                       : static_cast<int>(random_() % 255) - 127);
    const auto width = padded_inputs(result.inputs);
    result.x.resize(static_cast<std::size_t>(result.rows * width));
    std::normal_distribution<float> normal;
    for (std::int64_t row = 0; row < result.rows; ++row) {
      std::int8_t* of_row = result.x.data() + row * width;
      for (std::int64_t four = 0; four < width / 4; ++four) {
        const auto part = static_cast<int>(up_to(127));
        const int sign = random_() % 2 == 0 ? 1 : -1;
        const std::array<int, 4> values =
            extreme ? std::array{sign * part, sign * (128 - part), 0, 0}
                    : std::array{part / 4, -part, part / 2 - 64, part - 64};
        const auto turn = static_cast<std::int64_t>(random_() % 4);
        for (std::int64_t i = 0; i < 4; ++i)
          of_row[in_chunk(four, (i + turn) % 4)] =
              static_cast<std::int8_t>(values[static_cast<std::size_t>(i)]);
      }
      std::fill(of_row + result.inputs, of_row + width, std::int8_t{0});
      result.row_scales.push_back(normal(random_));
    }
    for (std::int64_t n = 0; n < result.outputs; ++n) {
      result.scales.push_back(normal(random_));
      result.bias.push_back(normal(random_));
    }
    return result;
  }

  std::mt19937 random_{21};
};

std::vector<float> multiplied(const ByteKernels& kernels, const Product& product) {
  const auto width = padded_inputs(product.inputs);
  std::vector<std::int32_t> sums;
  for (std::int64_t row = 0; row < product.rows; ++row) {
    const std::int8_t* of_row = product.x.data() + row * width;
    sums.push_back(std::accumulate(of_row, of_row + width, 0));
  }
  const auto panels = product.panels();
  std::vector<float> y(static_cast<std::size_t>(product.rows * product.outputs));
  kernels.multiply({panels.data(), product.scales.data(), product.groups()},
                   {.rows = product.rows,
                    .bytes = product.x.data(),
                    .scales = product.row_scales.data(),
                    .sums = sums.data()},
                   {.bias = product.bias.data(),
                    .count = product.outputs,
                    .y = y.data(),
                    .stride = product.outputs});
  return y;
}

TEST_F(ByteKernelsTest, SumTheSameProductsOfRandomShapes) {
  for (int repetition = 0; repetition < 60; ++repetition) {
    const auto given = product(/*extreme=*/repetition % 3 == 0);
    for (const auto& [name, kernels] : available()) {
      const auto y = multiplied(*kernels, given);
      for (std::int64_t row = 0; row < given.rows; ++row)
        for (std::int64_t n = 0; n < given.outputs; ++n)
          ASSERT_EQ(y[static_cast<std::size_t>(row * given.outputs + n)], given.expected(row, n))
              << name << ": " << given.outputs << " x " << given.inputs << ", row " << row << " of "
              << given.rows << ", output " << n;
    }
  }
}

TEST_F(ByteKernelsTest, RoundTheSame) {
  std::normal_distribution<float> normal;
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<float> x(static_cast<std::size_t>(up_to(90)));
    for (float& value : x) value = normal(random_);
    float largest = 0;
    for (const float value : x) largest = std::max(largest, std::abs(value));
    const float scale = largest / 127;
    const float factor = 1 / scale;
    for (const auto& [name, kernels] : available()) {
      std::vector<std::int8_t> bytes(x.size() + 1, 99);
      const auto found =
          kernels->quantize(x.data(), static_cast<std::int64_t>(x.size()), bytes.data());
      EXPECT_EQ(found.scale, scale) << name;
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        // Stored, so that no compiler fuses the product with what follows.
        const volatile float product = x[i] * factor;
        const auto expected = static_cast<int>(std::lrint(static_cast<double>(product)));
        ASSERT_EQ(bytes[i], expected) << name << ", " << i << " of " << x.size();
        sum += expected;
      }
      EXPECT_EQ(found.sum, sum) << name;
      EXPECT_EQ(bytes.back(), 99) << name << " writes behind the end";
    }
  }
}

// No sum of four inputs of one sign exceeds what AVX2 can hold, and every CPU rounds the same way.
TEST_F(ByteKernelsTest, RoundInputsForSumsIn16Bits) {
  std::normal_distribution<float> normal;
  std::cauchy_distribution<float> heavy;
  for (int repetition = 0; repetition < 400; ++repetition) {
    const auto count = up_to(90);
    const auto width = padded_inputs(count);
    std::vector<float> x(static_cast<std::size_t>(count));
    // Four times 1.5 are scaled to 126, and each rounds up from 31.5 to 32.
    for (float& value : x)
      value = repetition % 3 == 0 ? normal(random_) : repetition % 3 == 1 ? heavy(random_) : 1.5F;
    float largest = 0;
    for (std::int64_t four = 0; four < width / 4; ++four) {
      std::array<float, 4> positive{};
      std::array<float, 4> negative{};
      for (std::size_t i = 0; i < 4; ++i) {
        const auto at = in_chunk(four, static_cast<std::int64_t>(i));
        if (at < count) positive[i] = std::max(x[static_cast<std::size_t>(at)], 0.0F);
        if (at < count) negative[i] = std::max(-x[static_cast<std::size_t>(at)], 0.0F);
      }
      for (const auto& of_sign : {positive, negative})
        largest = std::max(largest, (of_sign[0] + of_sign[1]) + (of_sign[2] + of_sign[3]));
    }
    const float factor = 1 / (largest / kMaxUnroundedSum);
    for (const auto& [name, kernels] : available()) {
      std::vector<std::int8_t> bytes(static_cast<std::size_t>(width) + 1, 99);
      const auto found = kernels->quantize_inputs(x.data(), count, bytes.data());
      ASSERT_EQ(found.scale, largest / kMaxUnroundedSum) << name << ", " << count << " inputs";
      EXPECT_EQ(found.sum, std::accumulate(bytes.begin(), bytes.end() - 1, 0)) << name;
      EXPECT_EQ(bytes.back(), 99) << name << " writes behind the end";
      for (std::int64_t i = 0; i < width; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const volatile float product = i < count ? x[at] * factor : 0;
        ASSERT_EQ(bytes[at], std::lrint(static_cast<double>(product))) << name << ", " << i;
      }
      for (std::int64_t four = 0; four < width / 4; ++four) {
        int positive = 0;
        int negative = 0;
        for (std::int64_t i = 0; i < 4; ++i) {
          const std::int8_t byte = bytes[static_cast<std::size_t>(in_chunk(four, i))];
          (byte > 0 ? positive : negative) += byte;
        }
        EXPECT_LE(positive, 128) << name;
        EXPECT_GE(negative, -128) << name;
      }
    }
  }
}

// The inverse of their scale would be infinite.
TEST_F(ByteKernelsTest, RoundNumbersNearZeroToZeros) {
  for (const float tiny : {3e-37F, 1e-40F, 1e-45F}) {
    std::vector<float> x(77, tiny);
    x[5] = 0;
    const auto count = static_cast<std::int64_t>(x.size());
    for (const auto& [name, kernels] : available()) {
      std::vector<std::int8_t> bytes(80, 99);
      EXPECT_EQ(kernels->quantize(x.data(), count, bytes.data()).sum, 0) << name << ", " << tiny;
      EXPECT_EQ(std::count(bytes.begin(), bytes.begin() + count, 0), count) << name << ", " << tiny;
      EXPECT_EQ(kernels->quantize_inputs(x.data(), count, bytes.data()).sum, 0) << name;
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 80) << name << ", " << tiny;
    }
  }
}

// Whatever the bytes are, no place is beyond the inputs.
TEST_F(ByteKernelsTest, CollectNoPlaceBeyondTheInputs) {
  for (const auto& [name, kernels] : available()) {
    std::vector<std::int8_t> bytes(16);
    bytes[12] = -1;  // of the infinite one among 13 inputs
    std::vector<std::uint16_t> places(bytes.size());
    const auto count = kernels->collect(bytes.data(), 16, places.data());
    for (std::int32_t i = 0; i < count; ++i) {
      EXPECT_LT(places[static_cast<std::size_t>(i)], 13) << name;
      EXPECT_GE(bytes[static_cast<std::size_t>(i)], 0) << name;
    }
  }
}

// Bytes from 0 to 127 with their share of numbers above zero, and products at their largest.
TEST_F(ByteKernelsTest, CollectAndMultiplyTheSameInputsAboveZero) {
  for (int repetition = 0; repetition < 60; ++repetition) {
    auto given = product(/*extreme=*/repetition % 3 == 0);
    const auto width = padded_inputs(given.inputs);
    const auto percent = std::array{0, 5, 50, 100}[random_() % 4];
    for (std::int64_t i = 0; i < std::ssize(given.x); ++i) {
      const bool zero = static_cast<int>(random_() % 100) >= percent || i % width >= given.inputs;
      given.x[static_cast<std::size_t>(i)] =
          static_cast<std::int8_t>(zero                  ? 0
                                   : repetition % 3 == 0 ? 127
                                                         : up_to(127));
    }
    const auto panels = (given.outputs + kSparsePanel - 1) / kSparsePanel;
    AlignedVector<std::int8_t> weights(
        static_cast<std::size_t>(panels * given.inputs * kSparsePanel));
    for (std::int64_t n = 0; n < given.outputs; ++n)
      for (std::int64_t i = 0; i < given.inputs; ++i)
        weights[static_cast<std::size_t>((n / kSparsePanel * given.inputs + i) * kSparsePanel +
                                         n % kSparsePanel)] =
            static_cast<std::int8_t>(given.weights[static_cast<std::size_t>(n * given.inputs + i)]);

    for (const auto& [name, kernels] : available()) {
      auto bytes = given.x;
      std::vector<std::uint16_t> places(bytes.size() + 1, 0xFFFF);
      std::vector<std::int32_t> counts;
      for (std::int64_t row = 0; row < given.rows; ++row) {
        counts.push_back(
            kernels->collect(bytes.data() + row * width, width, places.data() + row * width));
        ASSERT_EQ(places[static_cast<std::size_t>((row + 1) * width)], 0xFFFF)
            << name << " writes behind the end";
      }
      std::vector<float> y(static_cast<std::size_t>(given.rows * given.outputs));
      kernels->multiply_sparse({weights.data(), given.scales.data(), given.inputs},
                               {.rows = given.rows,
                                .bytes = bytes.data(),
                                .scales = given.row_scales.data(),
                                .places = places.data(),
                                .counts = counts.data()},
                               {.bias = given.bias.data(),
                                .count = given.outputs,
                                .y = y.data(),
                                .stride = given.outputs});
      for (std::int64_t row = 0; row < given.rows; ++row) {
        const auto* of_row = given.x.data() + row * width;
        const auto above = width - std::count(of_row, of_row + width, 0);
        ASSERT_EQ(counts[static_cast<std::size_t>(row)],
                  (above + kSparseGroup - 1) / kSparseGroup * kSparseGroup)
            << name;
        for (std::int64_t n = 0; n < given.outputs; ++n)
          ASSERT_EQ(y[static_cast<std::size_t>(row * given.outputs + n)], given.expected(row, n))
              << name << ": " << given.outputs << " x " << given.inputs << ", row " << row << " of "
              << given.rows << ", output " << n;
      }
    }
  }
}

// The largest place has 16 bits.
TEST_F(ByteKernelsTest, CollectInputsOfTheWidestLayer) {
  constexpr std::int64_t kMost = 1 << 16;
  for (const auto& [name, kernels] : available()) {
    std::vector<std::int8_t> bytes(kMost);
    std::vector<std::uint16_t> places(kMost);
    bytes[0] = 3;
    bytes[kMost / 2] = 127;
    bytes[kMost - 1] = 1;
    ASSERT_EQ(kernels->collect(bytes.data(), kMost, places.data()), 4) << name;
    EXPECT_EQ(std::vector(bytes.begin(), bytes.begin() + 4),
              (std::vector<std::int8_t>{3, 127, 1, 0}))
        << name;
    EXPECT_EQ(std::vector(places.begin(), places.begin() + 3),
              (std::vector<std::uint16_t>{0, kMost / 2, kMost - 1}))
        << name;
  }
}

// Every byte of keys, values, the query and the weights takes part, at the ends of their ranges
// too.
TEST_F(ByteKernelsTest, AttendTheSame) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    const KvCache::Shape shape{.slots = 1,
                               .positions = 64,
                               .heads = static_cast<int>(up_to(4)),
                               .d = static_cast<int>(up_to(80))};
    const int visible = static_cast<int>(up_to(64));
    const auto width = static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.d);
    std::normal_distribution<float> normal;
    const auto values = [&](std::size_t count) {
      std::vector<float> result(count);
      for (float& value : result)
        value = repetition % 2 == 0 ? normal(random_) : (random_() % 2 == 0 ? 1.0F : -1.0F);
      return result;
    };
    const auto query = values(width);
    const auto added = values(static_cast<std::size_t>(visible));
    const std::vector<float> none(added.size());
    std::vector<std::vector<float>> key_values;
    key_values.reserve(static_cast<std::size_t>(visible));
    for (int j = 0; j < visible; ++j) key_values.push_back(values(2 * width));

    std::vector<float> expected_scores;
    std::vector<float> expected_context;
    for (const auto& [name, kernels] : available()) {
      const auto block_size = ByteBlock(shape.heads, shape.d).size;
      AlignedVector<std::byte> blocks(block_size * 4 + 64);
      KvCache::Scratch scratch;
      for (int j = 0; j < visible; ++j) {
        const float* key = key_values[static_cast<std::size_t>(j)].data();
        kernels->write(shape,
                       blocks.data() + static_cast<std::size_t>(j / kCacheBlock) * block_size,
                       j % kCacheBlock, key, key + width, scratch);
      }
      std::vector<float> scores(static_cast<std::size_t>(shape.heads * padded(visible)));
      std::vector<float> context(width);
      // The weights are `added`, so that they are the same whatever order a softmax sums in.
      const CachedAttention task{.blocks = blocks.data(),
                                 .block_size = block_size,
                                 .heads = shape.heads,
                                 .d = shape.d,
                                 .query = {.query = query.data(),
                                           .visible = visible,
                                           .context = context.data(),
                                           .scale = none.data(),
                                           .added = added.data()},
                                 .scores = scores.data()};
      kernels->score(task, scratch);
      std::vector<float> seen;
      for (std::ptrdiff_t h = 0; h < shape.heads; ++h)
        seen.insert(seen.end(), scores.begin() + h * padded(visible),
                    scores.begin() + h * padded(visible) + visible);
      kernels->mix(task, scratch);
      if (expected_scores.empty()) {
        expected_scores = seen;
        expected_context = context;
      }
      ASSERT_EQ(seen, expected_scores) << name << ", " << shape.heads << " heads of " << shape.d;
      ASSERT_EQ(context, expected_context) << name << ", " << visible << " positions";
    }
  }
}

TEST(InstructionSetTest, IsOneThatTheCpuHas) {
  EXPECT_TRUE(has(instruction_set()));
  EXPECT_TRUE(has(InstructionSet::kPlain));
  const char* limit = std::getenv("SURTITLE_INSTRUCTIONS");
  if (limit != nullptr && std::string(limit) == "plain") {
    EXPECT_EQ(byte_kernels(), nullptr);
  }
}

}  // namespace
}  // namespace surtitle
