#include "model/package/quantization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "model/package/inspection.h"
#include "model/package/tensor_values.h"
#include "model/util/row_quantization.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

class QuantizationTest : public ::testing::Test {
 protected:
  QuantizationTest()
      : original_(random_package({.d_model = 32,
                                  .heads = 4,
                                  .ffn = 64,
                                  .encoder_layers = 2,
                                  .decoder_layers = 2,
                                  .source_vocabulary = 40,
                                  .target_vocabulary = 40},
                                 folder_.path() / "original")) {}

  std::filesystem::path output() const { return folder_.path() / "small"; }

  // Writes the 8-bit package's weights again after `change` has changed their views.
  template <typename Change>
  std::string error_after(const Change& change) {
    write_quantized_package(original_, output());
    const SafetensorsFile weights(output() / "weights.safetensors");
    std::vector<TensorView> tensors = weights.tensors();
    change(tensors);
    write_package(output(), original_.description, tensors);
    return error_of([&] { open_package(output()); });
  }

  TemporaryFolder folder_;
  Package original_;
};

TEST_F(QuantizationTest, WritesFewerValuesWithFewerBits) {
  const auto bytes_with = [&](int bits) {
    write_quantized_package(original_, output(), bits);
    const SafetensorsFile weights(output() / "weights.safetensors");
    const auto data = weights.find("decoder.layers.0.fc1.weight")->data;
    std::vector<std::int8_t> bytes;
    for (const std::byte byte : data) bytes.push_back(static_cast<std::int8_t>(byte));
    return bytes;
  };
  const auto whole = bytes_with(8);
  const auto rounded = bytes_with(6);
  EXPECT_LE(std::set(rounded.begin(), rounded.end()).size(), 63U);
  EXPECT_GT(std::set(whole.begin(), whole.end()).size(), 63U);
  ASSERT_EQ(rounded.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_LE(std::abs(rounded[i] - whole[i]), 2);
    EXPECT_EQ(std::abs(rounded[i]) == 127, std::abs(whole[i]) >= 125);
  }
}

TEST_F(QuantizationTest, RoundsMatricesToTheNearestByteAndKeepsTheRest) {
  write_quantized_package(original_, output());
  const Package small = open_package(output());
  EXPECT_EQ(small.description.architecture, original_.description.architecture);
  int matrices = 0;
  for (const ExpectedTensor& expected : expected_tensors(original_.description.architecture)) {
    const auto before = float_values(original_.weights, expected.name);
    const auto after = float_values(small.weights, expected.name);
    if (small.weights.find(expected.name)->dtype != DType::kI8) {
      EXPECT_EQ(after, before) << expected.name;
      continue;
    }
    ++matrices;
    ASSERT_EQ(after.size(), before.size());
    const auto columns = static_cast<std::size_t>(expected.shape.back());
    for (std::size_t row = 0; row < before.size(); row += columns) {
      float largest = 0;
      for (std::size_t i = row; i < row + columns; ++i)
        largest = std::max(largest, std::abs(before[i]));
      for (std::size_t i = row; i < row + columns; ++i)
        EXPECT_NEAR(after[i], before[i], largest / 127 * 0.501) << expected.name << " " << i;
    }
  }
  // Encoder: in_proj, out_proj, fc1, fc2; decoder: twice the attention; one embedding.
  EXPECT_EQ(matrices, 2 * 4 + 2 * 6 + 1);
}

TEST_F(QuantizationTest, KeepsAPackageThatIsIn8BitsAlready) {
  write_quantized_package(original_, output());
  const auto again = folder_.path() / "again";
  write_quantized_package(open_package(output()), again);
  EXPECT_EQ(read_text(again / "weights.safetensors"), read_text(output() / "weights.safetensors"));
}

TEST_F(QuantizationTest, CopiesTheOtherFilesOverThoseOfAnEarlierPackage) {
  write_text(original_.folder / "MODEL_CARD.md", "# a card\n");
  std::filesystem::create_directories(output());
  write_text(output() / "MODEL_CARD.md", "# another model's card\n");
  write_quantized_package(original_, output());
  EXPECT_EQ(read_text(output() / "MODEL_CARD.md"), "# a card\n");
}

TEST_F(QuantizationTest, InspectionCountsTheScalesAndIgnoresNothing) {
  write_quantized_package(original_, output());
  const auto object = boost::json::parse(inspect(output(), InspectionFormat::kJson)).as_object();
  const Package small = open_package(output());
  std::size_t bytes = 0;
  for (const TensorView& tensor : small.weights.tensors()) bytes += tensor.data.size();
  EXPECT_EQ(object.at("bytes").to_number<std::size_t>(), bytes);
  EXPECT_EQ(object.at("ignored_tensors").to_number<int>(), 0);
}

// The 8-bit engine rounds what it reads, whether the package has floats or bytes.
TEST_F(QuantizationTest, StoredNumbersRoundToTheBytesOfTheOriginals) {
  write_quantized_package(original_, output());
  const Package small = open_package(output());
  for (const TensorView& tensor : small.weights.tensors()) {
    if (tensor.dtype != DType::kI8) continue;
    const auto columns = static_cast<std::size_t>(tensor.shape.back());
    const auto before = float_values(original_.weights, tensor.name);
    const auto after = float_values(small.weights, tensor.name);
    for (std::size_t row = 0; row < before.size(); row += columns) {
      std::vector<std::int8_t> first(columns);
      std::vector<std::int8_t> second(columns);
      quantize_row(std::span(before).subspan(row, columns), first);
      quantize_row(std::span(after).subspan(row, columns), second);
      EXPECT_EQ(first, second) << tensor.name << " row " << row / columns;
    }
  }
}

TEST_F(QuantizationTest, RefusesToWriteOverThePackageItself) {
  EXPECT_THAT(error_of([&] { write_quantized_package(original_, original_.folder); }),
              HasSubstr("the output must be another folder"));
}

TEST_F(QuantizationTest, NamesScalesThatAreMissing) {
  EXPECT_THAT(
      error_after([](std::vector<TensorView>& tensors) {
        std::erase_if(tensors, [](const TensorView& tensor) {
          return tensor.name == "encoder.layers.1.fc2.weight.scale";
        });
      }),
      HasSubstr("tensor 'encoder.layers.1.fc2.weight.scale': found none, expected shape [32]"));
}

TEST_F(QuantizationTest, NamesAScaleThatIsNotFinite) {
  std::vector<float> scales(32, std::numeric_limits<float>::infinity());
  EXPECT_THAT(error_after([&](std::vector<TensorView>& tensors) {
                for (TensorView& tensor : tensors)
                  if (tensor.name == "encoder.layers.1.fc2.weight.scale")
                    tensor.data = std::as_bytes(std::span(scales));
              }),
              HasSubstr("encoder.layers.1.fc2.weight.scale': found NaN or infinity at element 0"));
}

TEST_F(QuantizationTest, RefusesAVectorIn8Bits) {
  std::vector<std::int8_t> bytes(32);
  EXPECT_THAT(error_after([&](std::vector<TensorView>& tensors) {
                for (TensorView& tensor : tensors)
                  if (tensor.name == "decoder.layers.0.fc2.bias") {
                    tensor.dtype = DType::kI8;
                    tensor.data = std::as_bytes(std::span(bytes));
                  }
              }),
              HasSubstr("decoder.layers.0.fc2.bias': found I8, expected F32, F16 or BF16"));
}

}  // namespace
}  // namespace surtitle
