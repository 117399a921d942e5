#include "daemon/recognisers/json_values.h"

#include <gmock/gmock.h>

#include <boost/json/serialize.hpp>
#include <vector>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Read {
  std::vector<std::string> objects;
  std::vector<std::string> skipped;
};

// `piece`: bytes that arrive at once.
Read read(std::string_view bytes, std::size_t piece = std::string_view::npos) {
  Read read;
  JsonValues values("input", [&](const std::string& /*kind*/, const std::string& what) {
    read.skipped.push_back(what);
  });
  while (!bytes.empty()) {
    std::string_view next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    while (const auto object = values.next(next)) {
      read.objects.push_back(serialize(*object));
    }
  }
  while (const auto object = values.finish()) {
    read.objects.push_back(serialize(*object));
  }
  return read;
}

TEST(JsonValues, ReadsObjectsWithAnySpaceBetweenThem) {
  const Read all = read("{\"a\":1}\n{\n \"b\" : [\n{}, \"}\"\n]\n}{\"c\":\"\\\"{\"}  \r\n");
  EXPECT_THAT(all.objects, ElementsAre("{\"a\":1}", "{\"b\":[{},\"}\"]}", "{\"c\":\"\\\"{\"}"));
  EXPECT_THAT(all.skipped, IsEmpty());
}

TEST(JsonValues, ReadsTheItemsOfAnArray) {
  const Read all = read("[{\"a\":1}\n,\n{\"b\":2},{\"c\":3}]\n");
  EXPECT_THAT(all.objects, ElementsAre("{\"a\":1}", "{\"b\":2}", "{\"c\":3}"));
  EXPECT_THAT(all.skipped, IsEmpty());
}

TEST(JsonValues, NamesWhatItSkipsAndItsLine) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{\"b\":}", "input:3: message 2 is not valid JSON (syntax error"},
      {"hello", "input:3: the line 'hello' is not a JSON object"},
      {"{\"a\":\n1", "input:3: message 2 is incomplete"},
      {"{\"a\":[}", "input:3: message 2 is not valid JSON"},
      {"{\"a\":\"" + std::string(JsonValues::kMaxLength, 'x'),
       "input:3: message 2 is longer than 1048576 bytes"}};
  for (const auto& [bytes, message] : wrong) {
    const Read all = read("{\"a\":1}\n\n" + bytes);
    EXPECT_THAT(all.objects, ElementsAre("{\"a\":1}"));
    EXPECT_THAT(all.skipped, ElementsAre(StartsWith(message)));
  }
}

TEST(JsonValues, ReadsTheObjectAfterOneThatIsCutOff) {
  for (const std::string cut : {"{\"a\": \"x", "{\"a\":", "{", "{\"a\": [1, {"}) {
    for (const std::size_t piece : {1U, 5U, 1000U}) {
      const Read all = read(cut + "\n{\"b\":1}\n{\"c\":2}", piece);
      EXPECT_THAT(all.objects, ElementsAre("{\"b\":1}", "{\"c\":2}")) << cut;
      EXPECT_THAT(all.skipped, ElementsAre(HasSubstr("input:1: message 1"))) << cut;
    }
  }
}

TEST(JsonValues, ReadsObjectsInsideOfJsonStrings) {
  const std::string bytes =
      "\"{\\\"a\\\": \\\"x \\\\\\\"y\\\\\\\" \\u00e4\\\"}\"\nx: "
      "\"{\\\"b\\\":\\n[1]}\",\n{\"c\":2}\n";
  for (const std::size_t piece : {1U, 5U, 1000U}) {
    const Read all = read(bytes, piece);
    EXPECT_THAT(all.objects, ElementsAre("{\"a\":\"x \\\"y\\\" ä\"}", "{\"b\":[1]}", "{\"c\":2}"));
    EXPECT_THAT(all.skipped, ElementsAre());
  }
  const Read cut = read("\"{\\\"a\\\": 1\"\n{\"b\":1}\n\"{x\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"b\":1}"));
  EXPECT_EQ(cut.skipped.size(), 2U);
}

TEST(JsonValues, SkipsALineInsideOfAnObject) {
  const Read all = read("{\n\"a\":\nwarning: x\n1}\n\nhello\n");
  EXPECT_THAT(all.objects, ElementsAre("{\"a\":1}"));
  EXPECT_THAT(all.skipped, ElementsAre("input:3: the line 'warning: x' is not a JSON object",
                                       "input:6: the line 'hello' is not a JSON object"));
}

}  // namespace
}  // namespace surtitle
