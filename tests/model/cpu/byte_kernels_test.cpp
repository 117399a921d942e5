// Holds the 8-bit kernels of every set of instructions that this CPU has to the same sums.
#include "model/cpu/byte_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "model/cpu/int8_kv_cache.h"
#include "model/util/aligned_vector.h"

namespace surtitle {

// AVX-VNNI's kernels in the EVEX encoding; nullptr unless the CPU has that one.
const ByteKernels* avx_vnni_kernels_as_evex();

namespace {

constexpr std::int64_t kGroup = 4;

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
  std::vector<float> x;  // [rows, inputs]: whole numbers, in each row one of +-127

  std::int64_t groups() const { return (inputs + kGroup - 1) / kGroup; }

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
             static_cast<std::int64_t>(x[static_cast<std::size_t>(row * inputs + i)]);
    return std::fma(static_cast<float>(sum), scales[static_cast<std::size_t>(n)],
                    bias[static_cast<std::size_t>(n)]);
  }
};

class ByteKernelsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (available().empty()) GTEST_SKIP() << "this CPU has no instructions for bytes";
  }

  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random_);
  }

  // With `extreme`, all bytes are -127 or 127, so that 16 bits cannot hold the sum of a pair.
  Product product(bool extreme) {
    Product result{up_to(150), up_to(300), up_to(20), {}, {}, {}, {}};
    const auto byte = [&] {
      return extreme ? (random_() % 2 == 0 ? 127 : -127) : static_cast<int>(random_() % 255) - 127;
    };
    for (std::int64_t i = 0; i < result.outputs * result.inputs; ++i)
      result.weights.push_back(byte());
    for (std::int64_t i = 0; i < result.rows * result.inputs; ++i)
      result.x.push_back(i % result.inputs == 0 ? 127.0F : static_cast<float>(byte()));
    std::normal_distribution<float> normal;
    for (std::int64_t n = 0; n < result.outputs; ++n) {
      result.scales.push_back(normal(random_));
      result.bias.push_back(normal(random_));
    }
    return result;
  }

  std::mt19937 random_{21};
};

std::vector<float> multiplied(const ByteKernels& kernels, const Product& product) {
  const auto size = product.groups() * kGroup * kernels.input_size;
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(product.rows * size));
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
  for (std::int64_t row = 0; row < product.rows; ++row) {
    const auto quantized = kernels.quantize_inputs(product.x.data() + row * product.inputs,
                                                   product.inputs, bytes.data() + row * size);
    scales.push_back(quantized.scale);
    sums.push_back(quantized.sum);
  }
  const auto panels = product.panels();
  std::vector<float> y(static_cast<std::size_t>(product.rows * product.outputs));
  kernels.multiply({panels.data(), product.scales.data(), product.groups()},
                   {.x = product.x.data(),
                    .rows = product.rows,
                    .bytes = bytes.data(),
                    .scales = scales.data(),
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

// Every byte of keys, values, the query and the weights takes part, at the ends of their ranges
// too.
TEST_F(ByteKernelsTest, AttendTheSame) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    const KvCache::Shape shape{.slots = 1,
                               .positions = 64,
                               .heads = static_cast<int>(up_to(4)),
                               .d = static_cast<int>(up_to(80))};
    const int visible = static_cast<int>(up_to(64));
    const auto width = static_cast<std::size_t>(shape.heads * shape.d);
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
