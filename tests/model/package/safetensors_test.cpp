#include "model/package/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <random>

#include "model/package/safetensors_header.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

// A file made of this header, with any length in front, and this data.
std::string file_text(const std::string& header, const std::string& data, std::uint64_t length) {
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, text.size());
  return text + header + data;
}
std::string file_text(const std::string& header, const std::string& data) {
  return file_text(header, data, header.size());
}

class Safetensors : public ::testing::Test {
 protected:
  std::string error_for(const std::string& text) {
    write_text(file_, text);
    return error_of([&] { SafetensorsFile{file_}; });
  }
  // The error for a header with 8 bytes of data; without the file's name, which has to be there.
  std::string header_error(const std::string& header) {
    const std::string error = error_for(file_text(header, "12345678"));
    EXPECT_THAT(error, StartsWith(file_.string() + ": "));
    return error.substr(std::min(error.size(), file_.string().size() + 2));
  }

  // Three tensors of different types, and metadata.
  void write_example() {
    const auto floats = std::to_array<float>({1, 2, 3, 4, 5, 6});
    const auto integers = std::to_array<std::int64_t>({-1, 1});
    const auto bytes = std::to_array<std::uint8_t>({7, 8, 9});
    const std::vector<TensorView> tensors = {
        {"bytes", DType::kU8, {3}, std::as_bytes(std::span(bytes))},
        {"größe \"x\"\n", DType::kF32, {2, 3}, std::as_bytes(std::span(floats))},
        {"empty", DType::kF16, {0, 4}, {}},
        {"integers", DType::kI64, {2}, std::as_bytes(std::span(integers))},
    };
    write_safetensors(file_, tensors, {{"key", "value"}, {"ü", "\t"}});
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "x.safetensors";
};

TEST_F(Safetensors, ReadsBackWhatItWrites) {
  write_example();
  SafetensorsFile opened(file_);
  const SafetensorsFile file = std::move(opened);
  EXPECT_EQ(file.path(), file_);
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("key", "value"), Pair("ü", "\t")));
  ASSERT_EQ(file.tensors().size(), 4U);
  const TensorView* floats = file.find("größe \"x\"\n");
  ASSERT_NE(floats, nullptr);
  EXPECT_EQ(floats->dtype, DType::kF32);
  EXPECT_THAT(floats->shape, ElementsAre(2, 3));
  ASSERT_EQ(floats->data.size(), 24U);
  float last = 0;
  std::memcpy(&last, floats->data.data() + 20, sizeof(last));
  EXPECT_EQ(last, 6);
  EXPECT_EQ(file.find("bytes")->data[2], std::byte{9});
  EXPECT_TRUE(file.find("empty")->data.empty());
  EXPECT_EQ(file.find("none"), nullptr);
}

TEST_F(Safetensors, AlignsEveryTensorByWritingTheWidestFirst) {
  write_example();
  const SafetensorsFile file(file_);
  EXPECT_EQ(file.tensors()[0].name, "integers");
  EXPECT_EQ(file.tensors()[3].name, "bytes");
  for (const TensorView& tensor : file.tensors()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data.data()) % byte_size(tensor.dtype), 0U);
  }
}

TEST_F(Safetensors, ReplacesAFileThatIsOpen) {
  write_example();
  const SafetensorsFile before(file_);
  write_safetensors(file_, {});
  EXPECT_EQ(before.find("bytes")->data[0], std::byte{7});
  EXPECT_TRUE(SafetensorsFile(file_).tensors().empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Safetensors, RefusesAFileCutShortAtAnyByte) {
  write_example();
  const std::string whole = read_text(file_);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(error_for(whole.substr(0, length)), StartsWith(file_.string() + ": ")) << length;
  }
  EXPECT_THAT(error_for(whole + "x"), HasSubstr("found 1 bytes after the last tensor"));
}

TEST_F(Safetensors, NeverCrashesOnChangedBytes) {
  write_example();
  const std::string whole = read_text(file_);
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = whole;
    const int flips = 1 + round % 3;
    for (int flip = 0; flip < flips; ++flip)
      text[random() % text.size()] = static_cast<char>(random());
    write_text(file_, text);
    try {
      const SafetensorsFile file(file_);
      for (const TensorView& tensor : file.tensors()) {
        EXPECT_EQ(tensor.data.size(), tensor_size(tensor.dtype, tensor.shape));
      }
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), StartsWith(file_.string() + ": "));
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

TEST_F(Safetensors, NamesWhatCannotBeOpened) {
  EXPECT_EQ(error_of([&] { SafetensorsFile{file_}; }),
            file_.string() + ": cannot be read: No such file or directory");
  EXPECT_THAT(error_of([&] { SafetensorsFile{folder_.path()}; }), HasSubstr("not a regular file"));
  EXPECT_THAT(error_of([&] { write_safetensors(folder_.path() / "no" / "x", {}); }),
              HasSubstr("no/x: cannot be written: No such file"));
}

TEST_F(Safetensors, RefusesALyingHeaderLength) {
  EXPECT_THAT(error_for(""), HasSubstr("found 0 bytes, expected at least the 8"));
  for (const std::uint64_t length :
       {std::uint64_t{3}, std::uint64_t{200'000'000}, std::numeric_limits<std::uint64_t>::max(),
        std::numeric_limits<std::uint64_t>::max() - 7}) {
    EXPECT_THAT(
        error_for(file_text("{}", "", length)),
        HasSubstr("header length of " + std::to_string(length) + " bytes, expected at most 2"));
  }
}

TEST_F(Safetensors, RefusesAHeaderThatIsNotTheFormats) {
  EXPECT_EQ(header_error("[]"),
            "header: found something else at byte 0 of the header, expected '{'");
  EXPECT_THAT(header_error("{"), HasSubstr("the end at byte 1 of the header, expected a string"));
  EXPECT_THAT(header_error("{} x"), HasSubstr("text after the header's object"));
  EXPECT_THAT(header_error("{\"a"), HasSubstr("a string without an end"));
  EXPECT_THAT(header_error("{\"\xff\": {}}"), HasSubstr("expected a string in UTF-8"));
  EXPECT_THAT(header_error("{\"__metadata__\": {\"a\": 1}}"), HasSubstr("expected a string"));
  EXPECT_THAT(header_error(R"({"__metadata__": {"a": "1", "a": "2"}})"), HasSubstr("'a' twice"));
}

TEST_F(Safetensors, RefusesTensorsThatLie) {
  const std::string f32 = R"({"w": {"dtype": "F32", "shape": )";
  EXPECT_EQ(header_error(f32 + R"([3], "data_offsets": [0, 8]}})"),
            "tensor 'w': found bytes 0 to 8, expected 12 bytes for F32 [3]");
  EXPECT_EQ(header_error(f32 + R"([4], "data_offsets": [0, 16]}})"),
            "tensor 'w': found bytes 0 to 16, expected at most 8; the file is truncated");
  EXPECT_THAT(header_error(f32 + R"([2], "data_offsets": [8, 0]}})"),
              HasSubstr("found bytes 8 to 0"));
  EXPECT_THAT(header_error(f32 + R"([4294967296, 4294967296], "data_offsets": [0, 8]}})"),
              HasSubstr("found F32 [4294967296, 4294967296], expected a smaller shape"));
  EXPECT_THAT(header_error(f32 + R"([-1], "data_offsets": [0, 8]}})"),
              HasSubstr("expected a number"));
  EXPECT_THAT(header_error(f32 + R"([9223372036854775808], "data_offsets": [0, 8]}})"),
              HasSubstr("expected a number from 0 to 2^63 - 1"));
  EXPECT_THAT(header_error(f32 + R"([2.5], "data_offsets": [0, 8]}})"), HasSubstr("expected ']'"));
  EXPECT_THAT(header_error(f32 + R"([2], "data_offsets": [0]}})"), HasSubstr("one data offset"));
  EXPECT_THAT(header_error(f32 + R"([2], "data_offsets": [0, 8, 8]}})"), HasSubstr("at most 2"));
  EXPECT_THAT(header_error(f32 + R"([2]}})"),
              HasSubstr("found 2 fields, expected the fields dtype"));
  EXPECT_THAT(header_error(f32 + R"([2], "shape": [2]}})"), HasSubstr("found 'shape' twice"));
  EXPECT_THAT(header_error(f32 + R"([2], "colour": "red"}})"), HasSubstr("the field 'colour'"));
  EXPECT_THAT(header_error(R"({"w": {"dtype": "Q4", "shape": [2], "data_offsets": [0, 8]}})"),
              HasSubstr("tensor 'w': found dtype 'Q4', expected one of F32, F16, BF16"));
  EXPECT_EQ(header_error(R"({"w": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}})"),
            "found 4 bytes after the last tensor, expected none");
}

TEST_F(Safetensors, RefusesTensorsThatShareANameOrBytes) {
  const auto tensor = [](const std::string& name, const std::string& offsets) {
    return "\"" + name + R"(": {"dtype": "U8", "shape": [4], "data_offsets": )" + offsets + "}";
  };
  EXPECT_EQ(header_error("{" + tensor("a", "[0, 4]") + "," + tensor("a", "[4, 8]") + "}"),
            "tensor 'a': found the name twice, expected every name once");
  EXPECT_EQ(header_error("{" + tensor("a", "[0, 4]") + "," + tensor("b", "[2, 6]") + "}"),
            "tensor 'b': found bytes 2 to 6, expected a begin at byte 4, the end of the tensor "
            "before it");
  EXPECT_THAT(header_error("{" + tensor("b", "[4, 8]") + "}"), HasSubstr("a begin at byte 0"));
  EXPECT_THAT(header_error("{" + tensor("a\\nb", "[1, 5]") + "}"), HasSubstr("tensor 'a?b'"));
}

TEST_F(Safetensors, RefusesToWriteWhatItWouldNotRead) {
  const std::array<std::byte, 4> data{};
  const TensorView tensor{"a", DType::kF32, {1}, data};
  const TensorView longer{"b", DType::kF32, {2}, data};
  const TensorView reserved{"__metadata__", DType::kF32, {1}, data};
  EXPECT_THAT(error_of([&] {
                write_safetensors(file_, std::vector{tensor, tensor});
              }),
              HasSubstr("tensor 'a': found the name twice"));
  EXPECT_THAT(error_of([&] { write_safetensors(file_, std::vector{longer}); }),
              HasSubstr("tensor 'b': found 4 bytes, expected as many as F32 [2] has"));
  EXPECT_THAT(error_of([&] { write_safetensors(file_, std::vector{reserved}); }),
              HasSubstr("'__metadata__'"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST(TensorSize, KnowsEmptyAndScalarTensors) {
  EXPECT_EQ(tensor_size(DType::kF64, {}), 8U);
  EXPECT_EQ(tensor_size(DType::kF64, {0}), 0U);
  EXPECT_EQ(tensor_size(DType::kU8, {-1}), std::nullopt);
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(tensor_size(DType::kU8, {kMax}), static_cast<std::uint64_t>(kMax));
  EXPECT_EQ(tensor_size(DType::kF16, {kMax}), std::nullopt);
}

}  // namespace
}  // namespace surtitle
