#include "daemon/recognisers/json_values.h"

#include <gmock/gmock.h>

#include <boost/json/serialize.hpp>
#include <stdexcept>
#include <vector>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> read(std::string_view bytes, const std::string& last_line = {}) {
  JsonValues values("input", last_line);
  std::vector<std::string> read;
  while (const auto object = values.next(bytes)) {
    read.push_back(serialize(*object));
  }
  values.finish();
  return read;
}

std::string failure(std::string_view bytes) {
  try {
    read(bytes);
    return "nothing was thrown";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(JsonValues, ReadsObjectsWithAnySpaceBetweenThem) {
  EXPECT_THAT(read("{\"a\":1}\n{\n \"b\" : [\n{}, \"}\"\n]\n}{\"c\":\"\\\"{\"}  \r\n"),
              ElementsAre("{\"a\":1}", "{\"b\":[{},\"}\"]}", "{\"c\":\"\\\"{\"}"));
}

TEST(JsonValues, SkipsPaddingAndALastLine) {
  EXPECT_THAT(read(std::string_view("{\"a\":1}\0\0{\"b\":2}\0\nDone!\n", 24), "Done!"),
              ElementsAre("{\"a\":1}", "{\"b\":2}"));
}

TEST(JsonValues, AcceptsControlCharactersAndInvalidNumbers) {
  EXPECT_THAT(read("{\"a\":\"x\ty\nz\",\"b\":[nan,-nan,inf,-inf,1.5e-3],\"c\":\"nan\"}"),
              ElementsAre("{\"a\":\"x y z\",\"b\":[null,null,null,null,1.5E-3],\"c\":\"nan\"}"));
}

TEST(JsonValues, NamesTheInvalidMessageAndItsLine) {
  EXPECT_THAT(failure("{\"a\":1}\n\n{\"b\":}"),
              StartsWith("input:3: message 2 is not valid JSON (syntax error"));
  EXPECT_THAT(failure("{\"a\":1}\nhello"), HasSubstr("message 2 begins with 'h', not with {"));
  EXPECT_THAT(failure("[1]"), HasSubstr("begins with '['"));
  EXPECT_THAT(failure("{\"a\":\n1"), HasSubstr("input:1: message 1 is incomplete"));
  EXPECT_THAT(failure("{\"a\":[}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(failure("{\"a\":\"" + std::string(JsonValues::kMaxLength, 'x')),
              HasSubstr("is longer than 1048576 bytes"));
}

}  // namespace
}  // namespace surtitle
