// Runs the sentencepiece module in one program with LibTorch.
//
// Each contains a protobuf; linked together, or loaded into one symbol space, they crash the
// program. LibTorch's headers are not included, because they take 20 s to compile.

#include <gtest/gtest.h>
#include <link.h>

#include <string_view>

#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

bool is_loaded(std::string_view library) {
  const auto matches = [](dl_phdr_info* info, std::size_t, void* name) {
    return std::string_view(info->dlpi_name).find(*static_cast<std::string_view*>(name)) !=
                   std::string_view::npos
               ? 1
               : 0;
  };
  return dl_iterate_phdr(matches, &library) != 0;
}

TEST(SentencepieceBesideTorch, TrainsLoadsAndEncodes) {
  ASSERT_TRUE(is_loaded("libtorch_cpu.so")) << "without LibTorch this program tests nothing";
  ASSERT_FALSE(is_loaded("libsentencepiece.so"));
  const auto tokenizer = test_tokenizer();
  ASSERT_TRUE(is_loaded("libsentencepiece.so"));
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const int token : tokenizer->encode_word("Straßenbahnhaltestelle🎉")) {
    text += detokenizer.write(token);
  }
  EXPECT_EQ(text + detokenizer.finish(), "Straßenbahnhaltestelle🎉");
}

TEST(SentencepieceBesideTorch, ReportsFailuresAsExceptions) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = {"zu wenig Text"};
  EXPECT_NE(error_of([&] {
              train_tokenizer(lines, 30'000, folder.path() / "x.model");
            }).find("Vocabulary size too high"),
            std::string::npos);
}

}  // namespace
}  // namespace surtitle
