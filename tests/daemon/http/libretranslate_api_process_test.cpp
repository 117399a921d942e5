// POST /translate and GET /languages, compatible with LibreTranslate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

class Translate : public ::testing::Test {
 protected:
  HttpAnswer post(const std::string& body, const std::string& headers = "") {
    return ask_http(daemon_.port(), "POST /translate HTTP/1.1",
                    "Content-Type: application/json\r\n" + headers +
                        "Content-Length: " + std::to_string(body.size()) + "\r\n",
                    body);
  }

  json::value translated(const std::string& body) {
    const HttpAnswer answer = post(body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body).at("translatedText");
  }

  std::string error(const std::string& body, int status = 400) {
    const HttpAnswer answer = post(body);
    EXPECT_EQ(answer.status, status) << answer.body;
    return std::string(json::parse(answer.body).at("error").as_string());
  }

  DaemonProcess daemon_{{"--models", "de-en,de-fr"}};
};

// The word is split into several sentences.
TEST_F(Translate, WordLongerThanASentenceDoesNotAffectOtherTexts) {
  const std::string word(5000, 'x');
  const json::value answer =
      translated(R"({"q":[")" + word + R"(","Guten Tag.","Danke."],"source":"de","target":"en"})");
  ASSERT_EQ(answer.as_array().size(), 3U);
  const json::string& pieces = answer.at(0).as_string();
  EXPECT_EQ(std::count(pieces.begin(), pieces.end(), 'X'), 5000) << pieces;
  EXPECT_EQ(answer.at(1), "GUTEN TAG.");
  EXPECT_EQ(answer.at(2), "DANKE.");
}

TEST_F(Translate, TranslatesAText) {
  EXPECT_EQ(translated(R"({"q":"Guten Tag. Und Ihnen?","source":"de","target":"en"})"),
            "GUTEN TAG. UND IHNEN?");
  EXPECT_EQ(translated(R"({"q":"","source":"de","target":"fr","format":"text"})"), "");
}

TEST_F(Translate, KeepsLines) {
  EXPECT_EQ(translated(R"({"q":"eins zwei\n\ndrei. vier\n","source":"de","target":"en"})"),
            "EINS ZWEI\n\nDREI. VIER\n");
}

TEST_F(Translate, TranslatesAListToAList) {
  EXPECT_EQ(translated(R"({"q":["eins","zwei."],"source":"de","target":"en"})"),
            (json::value{"EINS", "ZWEI."}));
  EXPECT_EQ(translated(R"({"q":[],"source":"de","target":"en"})"), json::array());
}

TEST_F(Translate, DetectsTheOnlySourceLanguage) {
  EXPECT_EQ(translated(R"({"q":"eins","source":"auto","target":"fr"})"), "EINS");
  EXPECT_THAT(error(R"({"q":"eins","source":"auto","target":"it"})"), HasSubstr("name the source"));
}

TEST_F(Translate, TranslatesLongTextsWithinTheLimitsOfAStream) {
  std::string q;
  std::string expected;
  for (int i = 0; i < 4000; ++i) {
    q += i % 7 == 6 ? "wort. " : "wort ";
    expected += i % 7 == 6 ? "WORT. " : "WORT ";
  }
  expected.pop_back();
  EXPECT_EQ(translated(R"({"q":")" + q + R"(","source":"de","target":"en"})"),
            json::string(expected));
}

TEST_F(Translate, ErrorsNameTheAllowedValues) {
  EXPECT_THAT(error("q=eins"), HasSubstr("must be a JSON object such as"));
  EXPECT_THAT(error(R"({"source":"de","target":"en"})"), HasSubstr("field 'q'"));
  EXPECT_THAT(error(R"({"q":[1],"source":"de","target":"en"})"), HasSubstr("a list of texts"));
  EXPECT_THAT(error(R"({"q":"a","source":"de","target":"en","format":"html"})"),
              HasSubstr("HTML is not translated"));
  EXPECT_THAT(error(R"({"q":"a","source":"de","target":"it"})"),
              HasSubstr("no model translates from 'de' to 'it'"));
}

TEST_F(Translate, ReportsErrorsOfTheTranslator) {
  EXPECT_THAT(error(R"({"q":"xx-refuse.","source":"de","target":"en"})", 500),
              HasSubstr("xx-refuse was read"));
  EXPECT_EQ(translated(R"({"q":"eins","source":"de","target":"en"})"), "EINS");
  EXPECT_EQ(metric(daemon_.port(), "surtitle_streams"), 0);
}

TEST_F(Translate, RejectsForeignOrigins) {
  EXPECT_EQ(
      post(R"({"q":"a","source":"de","target":"en"})", "Origin: https://example.org\r\n").status,
      403);
}

TEST_F(Translate, ListsItsLanguages) {
  EXPECT_EQ(json::parse(ask_http(daemon_.port(), "GET /languages HTTP/1.1").body),
            json::parse(R"([{"code":"de","name":"de","targets":["en","fr"]}])"));
}

TEST(TranslateWithoutRoom, IsAnswered503) {
  DaemonProcess daemon({"--limits-streams", "1"});
  TestClient sender = start_stream(daemon.port());
  const std::string body = R"({"q":"a","source":"de","target":"en"})";
  const HttpAnswer answer =
      ask_http(daemon.port(), "POST /translate HTTP/1.1",
               "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("the limit of 1 streams is reached"));
}

}  // namespace
}  // namespace surtitle
