#include "daemon/alignatt/alignatt_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/support/schema.h"

namespace surtitle::alignatt {
namespace {

using ::testing::HasSubstr;

template <class Message>
Message parsed(const std::string& text) {
  EXPECT_EQ(AsyncApi::get().violation("receiveFromAlignatt", text), "") << text;
  auto message = parse(text);
  if (const auto* error = std::get_if<Error>(&message)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<Message>(message);
}

TEST(AlignattProtocol, ReadsInit) {
  EXPECT_EQ(
      parsed<Init>(
          R"({"type":"init","protocol_version":1,"source_lang":"de","target_lang":"en","overrides":{}})"),
      (Init{"de", "en"}));
  EXPECT_EQ(
      parsed<Init>(
          R"({"type":"init","protocol_version":1,"source_lang":"de","target_lang":"en",)"
          R"("overrides":{"translation_alignatt_hold_back_target_units":1},"preset":"low",)"
          R"("context_text":"a talk","history":[["Ja.","Yes."]],"accepted_target_prefix":" Good mor "})"),
      (Init{"de", "en", "low", 1, "a talk", "Good mor"}));
}

TEST(AlignattProtocol, ReadsUpdates) {
  const auto update = parsed<Update>(
      R"({"type":"update","utterance_id":2,"words":[["Guten",0.0,480.5],["Tag",500,null],["so",null,null]],)"
      R"("clock_ms":900.0,"is_final":false,"tail":{"words":[["und",null,null]]},"seq":7})");
  EXPECT_EQ(update, (Update{7, 2, {{"Guten", 480.5}, {"Tag", 500}, {"so", 900}}, false, {"und"}}));
}

TEST(AlignattProtocol, MessagesFollowTheSchema) {
  for (const std::string& text :
       {to_json(InitOk{"de-en", "gma:delta=1", "de-en-gma"}),
        to_json(Translation{3, 1, true, false, "Good day.", " day.", "", 2}),
        to_json(Error{"bad_json", "one sentence"}),
        to_json(Error{"unsupported_direction", "one sentence", {"de-en", "en-de"}})}) {
    EXPECT_EQ(AsyncApi::get().violation("sendToAlignatt", text), "") << text;
  }
}

struct Bad {
  std::string text;
  std::string code;
  std::string expected;
};

class BadAlignattMessage : public ::testing::TestWithParam<Bad> {};

TEST_P(BadAlignattMessage, IsAnErrorThatNamesWhatIsAllowed) {
  const auto message = parse(GetParam().text);
  ASSERT_TRUE(std::holds_alternative<Error>(message));
  EXPECT_EQ(std::get<Error>(message).code, GetParam().code);
  EXPECT_THAT(std::get<Error>(message).message, HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    AlignattProtocol, BadAlignattMessage,
    ::testing::Values(
        Bad{"", "bad_json", "not JSON"}, Bad{"[]", "bad_json", "not a JSON object"},
        Bad{"{}", "bad_field", "'type' of the message is missing"},
        Bad{R"({"type":"stop"})", "unknown_type", "'stop' is unknown; allowed: init, update"},
        Bad{R"({"type":"init"})", "bad_field", "'protocol_version' of init is missing"},
        Bad{R"({"type":"init","protocol_version":2,"source_lang":"de","target_lang":"en"})",
            "unsupported_protocol", "2 is not supported; allowed: 1"},
        Bad{R"({"type":"init","protocol_version":1,"source_lang":"de"})", "bad_field",
            "'target_lang' of init is missing"},
        Bad{R"({"type":"init","protocol_version":1,"source_lang":"de","target_lang":"en","overrides":3})",
            "bad_field", "'overrides' of init must be an object"},
        Bad{R"({"type":"update","utterance_id":0,"words":[],"is_final":false})", "bad_field",
            "'seq' of update is missing"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"is_final":false})", "bad_field",
            "'words' of update must be a list of [text, start_ms, end_ms]"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"words":["a"],"is_final":false})",
            "bad_field", "[text, start_ms, end_ms]"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"words":[["a","b",1]],"is_final":false})",
            "bad_field", "[text, start_ms, end_ms]"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"words":[["a",0,1e999]],"is_final":false})",
            "bad_field", "[text, start_ms, end_ms]"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"words":[["a"]],"is_final":1})",
            "bad_field", "'is_final' of update must be true or false"},
        Bad{R"({"type":"update","seq":1,"utterance_id":0,"words":[],"is_final":true,"tail":{}})",
            "bad_field", "'words' of update's tail"}));

}  // namespace
}  // namespace surtitle::alignatt
