#include "daemon/base/json_parse.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

namespace surtitle {
namespace {

// Returns the text of {"t": ...}, or "not JSON".
std::string text_in(const std::string& json) {
  boost::system::error_code failure;
  const boost::json::value value = parse_json("{\"t\":" + json + "}", failure);
  return failure ? "not JSON" : std::string(value.at("t").as_string());
}

TEST(JsonParse, HalfASurrogatePairIsTheReplacementCharacter) {
  EXPECT_EQ(text_in(R"("a \ud83d b")"), "a \uFFFD b");
  EXPECT_EQ(text_in(R"("\uD83D")"), "\uFFFD");
  EXPECT_EQ(text_in(R"("\ude00\ud83d\ude00\ud83d\ud83d")"), "\uFFFD\U0001F600\uFFFD\uFFFD");
  EXPECT_EQ(text_in(R"("\ud83d\n\\ud83d \\\ud83d")"), "\uFFFD\n\\ud83d \\\uFFFD");
  EXPECT_EQ(text_in(R"("\u00e4\ud83d\u00e4")"), "ä\uFFFDä");
}

TEST(JsonParse, OtherErrorsStayErrors) {
  for (const std::string json :
       {R"("\ud83d)", R"("\ud83")", R"("\ud83d" x)", R"("\q")", "\"\xFF\\ud83d\""}) {
    EXPECT_EQ(text_in(json), "not JSON") << json;
  }
}

}  // namespace
}  // namespace surtitle
