#include "daemon/protocol/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "daemon/base/json_writer.h"
#include "tests/daemon/support/schema.h"

namespace surtitle::protocol {
namespace {

using ::testing::HasSubstr;

const std::vector<ClientMessage>& client_messages() {
  static const std::vector<ClientMessage> messages{
      Start{"de", "en", {}, {}, {}, {}},
      Start{"de", "en", "de-en-gma", "gma:delta=1.5", "main", Resume{"s-1", "0f", 3, 41}},
      Start{"de",
            "en",
            {},
            {},
            {},
            {},
            {},
            TextForm::kSpoken,
            {{"fr", "fr", {}, {}}, {"k", {}, "de-en-multipath", "wait-k"}}},
      [] {
        Start start{"de", "en", {}, {}, {}, {}};
        start.attention = true;
        start.echo = true;
        start.silence = 2.5;
        start.target_prefix = "Good morning,";
        return start;
      }(),
      [] {
        Start start{"de", "en", {}, {}, {}, {}};
        start.heading = {"Wie geht das? – Grüße", "Dr. Ada Łukasik"};
        return start;
      }(),
      Configure{},
      Configure{{}, {}, {}, {}, "Hörsaal 1", ""},
      Configure{"fr", "de-fr", "gma:delta=2", TextForm::kSpoken},
      Start{"de", "en", {}, {}, {}, {}, {}},
      Start{"de", "en", "de-en-gma", "gma:delta=1.5", "main", Resume{}, 10},
      Source{1, "Guten Morgen", {}},
      Source{9007199254740991, "„Grüß\tGott“\n\"\\\x01", 1.25},
      Hypothesis{"guten mor", false, {}},
      Hypothesis{"guten mor", false, 1.25},
      Hypothesis{"", true, 0.0},
      Hypothesis{"guten morgen", true, {}, false},
      Hypothesis{"guten morgen", true, {}, true, 7},
      Tail{"guten mor"},
      Tail{""},
      EndSentence{},
      EndSentence{8},
      Finish{},
  };
  return messages;
}

const std::vector<ServerMessage>& server_messages() {
  static const Scores kScores{1.5, 2.0, 0.5, {}, -0.25, 22.0 / 7, 1.75, {}};
  static const std::vector<ServerMessage> messages{
      Ready{"s-1",
            "main",
            "de-en-gma",
            "gma:delta=1",
            {"a \"warning\""},
            {1, 2, 3, 4, 5, 6, 0.5, 45},
            {{"", "en", "de-en-gma", "gma:delta=1"}, {"fr", "fr", "de-fr", "auto:lag=3"}},
            Resumption{"0f", 30, 17}},
      Ready{"s-1", {}, "m", "p", {}, {1, 1, 1, 1, 1, 1, 0, 0}, {}, Resumption{"0f", 0.5, {}}},
      Ready{{}, "main", {}, {}, {}, {1, 1, 1, 1, 1, 1, 0, 0}},
      Ready{{}, "main", {}, {}, {}, {1, 1, 1, 1, 1, 1, 0, 0}, {}, {}, 0},
      Ready{{}, "main", {}, {}, {}, {1, 1, 1, 1, 1, 1, 0, 0}, {}, {}, {}, Backlog{"s-1", 7, 3}},
      [] {
        Ready ready{"s-1", "main", "m", "p", {}, {1, 1, 1, 1, 1, 1, 0, 0}};
        ready.heading = {"Saal 1", ""};
        ready.interrupted = 12.25;
        return ready;
      }(),
      HeadingChange{{"Saal 1", ""}},
      HeadingChange{{"", "Ada"}, 44},
      Interruption{30},
      Interruption{},
      State{true, "m", "p", "s", {{"", "en", "m", "p"}}, {"Saal 1", "Ada"}, 0.0},
      Ack{7},
      Write{0, 3, " morning", 5, 2, 1523.1},
      Write{0, 3, " jour", 5, 2, 1523.1, "fr", 12.25},
      Write{0, 3, " morning", 5, 2, 1523.1, "", {}, 41},
      Draft{0, " morning"},
      Draft{1, "", "fr"},
      Attention{0,
                3,
                "\u2581morning",
                5,
                2,
                {"\u2581Morgen", "."},
                {{{0.25F, 0.75F}, {1.5F}}, {{1}, {}}}},
      Attention{0, 3, "</s>", 5, 2, {}, {}, "fr"},
      Sentence{1, "Guten Morgen.", "Good morning.", kScores, {}},
      Metrics{2, {1.0, {}, 0.5, {}, 3.0, {}, {}, 2.25}, {{}, {}, {}, {}, {}, {}, {}, {}}, 0},
      Sentence{1, "Guten Morgen.", "Bonjour.", kScores, {}, "fr"},
      Sentence{1, "Guten Morgen.", "Bonjour.", kScores, {}, "fr", 42},
      Sentence{1, "Guten Morgen.", "", kScores, {}, "", 0, 2},
      Metrics{2, {}, {}, 0, "fr"},
      PolicyChange{3, "de-en-gma", "gma:delta=2", false},
      PolicyChange{3, "de-fr", "gma:delta=2.5", true, "fr"},
      PolicyChange{3, "de-en-gma", "wait-k:k=3", false, "", {"policy wait-k: model ..."}, 43},
      Viewers{12},
      CatchUp{100},
      State{true, "m", "p", "s", {{"", "en", "m", "p"}}},
      Revision{1, "guten morgen", "gute"},
      Revision{0, "so", "", 44},
      SourceMessage{0, "Guten", 0.1, 12.5},
      SourceMessage{0, "Guten", 0.1, 12.5, 45},
      SourceMessage{0, "Guten", {}, 0},
      State{false, {}, {}, {}},
      Error{ErrorCode::kBadJson, "one sentence"},
      Bye{ByeReason::kSlow},
  };
  return messages;
}

TEST(Protocol, ClientMessagesReadBackAndFollowTheSchema) {
  for (const ClientMessage& message : client_messages()) {
    const std::string text = to_json(message);
    EXPECT_EQ(parse_client_message(text), (std::variant<ClientMessage, Error>(message))) << text;
    EXPECT_EQ(AsyncApi::get().violation("receiveFromSender", text), "") << text;
  }
}

TEST(Protocol, WeightBeyondEveryFloatIsAnError) {
  const auto parsed = parse_server_message(
      R"({"type":"attention","sentence":0,"index":0,"target":"a","read":1,"source_from":0,)"
      R"("source":["b"],"layers":[{"weights":[1e155],"positions":[]}]})");
  ASSERT_TRUE(std::holds_alternative<Error>(parsed));
  EXPECT_THAT(std::get<Error>(parsed).message, HasSubstr("a list of numbers up to 3.4e38"));
}

TEST(Protocol, ZeroHasNoSign) { EXPECT_EQ(JsonWriter().field("x", -0.0).finish(), R"({"x":0})"); }

std::string problem_of_start(const std::string& fields) {
  const auto parsed =
      parse_client_message(R"({"type":"start","source":"de","target":"en",)" + fields + "}");
  const auto* error = std::get_if<Error>(&parsed);
  return error == nullptr ? "" : error->message;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST(Protocol, TitleIsFreeTextOnOneLineOfLimitedLength) {
  EXPECT_EQ(problem_of_start(R"("title":"Hörsaal 1: <b>„Ja“</b>","speaker":null)"), "");
  EXPECT_EQ(problem_of_start("\"title\":\"" + repeated("ü", 200) + "\""), "");
  for (const std::string& wrong :
       {repeated("ü", 201), std::string("a\\nb"), std::string("\\u0000"), std::string("\\u007f"),
        std::string("\\u0085"), std::string("\\u2028")}) {
    for (const std::string key : {"title", "speaker"}) {
      EXPECT_EQ(problem_of_start("\"" + key + "\":\"" + wrong + "\""),
                "field '" + key +
                    "' of start must be at most 200 characters, on one line and "
                    "without control characters")
          << wrong;
    }
  }
}

TEST(Protocol, RejectedChannelNameIsExplained) {
  for (const std::string wrong : {"Saal 1", "Hörsaal", "", ".."}) {
    EXPECT_THAT(problem_of_start("\"channel\":\"" + wrong + "\""),
                HasSubstr("must be 1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..; a "
                          "title may be any text"));
  }
}

TEST(Protocol, ServerMessagesReadBackAndFollowTheSchema) {
  for (const ServerMessage& message : server_messages()) {
    const std::string text = to_json(message);
    EXPECT_EQ(parse_server_message(text), (std::variant<ServerMessage, Error>(message))) << text;
    const bool for_sender = AsyncApi::get().violation("sendToSender", text).empty();
    const bool for_viewer = AsyncApi::get().violation("sendToViewer", text).empty();
    EXPECT_TRUE(for_sender || for_viewer) << text;
  }
}

TEST(Protocol, TimesReadBackToTheLastDigit) {
  std::mt19937_64 random(1);
  for (const double longest : {10.0, 1e5, 1e10, 1e84}) {
    std::uniform_real_distribution<double> seconds(0, longest);
    for (int i = 0; i < 1000; ++i) {
      const ClientMessage message = Source{1, "a", seconds(random)};
      const std::string text = to_json(message);
      ASSERT_EQ(parse_client_message(text), (std::variant<ClientMessage, Error>(message))) << text;
    }
  }
}

TEST(Protocol, AttentionIsRoundedToAThousandth) {
  const std::string text =
      to_json(Attention{0, 0, "a", 1, 0, {}, {{{0.33333F, 0.0004F}, {2.9996F}}}});
  EXPECT_THAT(text, HasSubstr(R"("layers":[{"weights":[0.333,0],"positions":[3]}])"));
}

TEST(Protocol, UnknownFieldsAreIgnoredAndNullIsAbsent) {
  const auto message = parse_client_message(
      R"({"extra":[{}],"type":"source","seq":3.0,"text":"a","time":null,"more":1})");
  EXPECT_EQ(message, (std::variant<ClientMessage, Error>(ClientMessage(Source{3, "a", {}}))));
}

// As Python writes them.
TEST(Protocol, NoNumberIsNoTime) {
  for (const std::string number : {"NaN", "Infinity", "-Infinity"}) {
    const auto parsed =
        parse_client_message(R"({"type":"source","seq":1,"text":"NaN","time":)" + number + "}");
    ASSERT_TRUE(std::holds_alternative<ClientMessage>(parsed)) << number;
    EXPECT_EQ(std::get<Source>(std::get<ClientMessage>(parsed)).text, "NaN");
    EXPECT_EQ(std::get<Source>(std::get<ClientMessage>(parsed)).time, std::nullopt);
  }
  EXPECT_TRUE(std::holds_alternative<Error>(parse_client_message(R"({"type":"finish" NaN})")));
}

struct Bad {
  std::string text;
  ErrorCode code;
  std::string expected;
};

class BadMessage : public ::testing::TestWithParam<Bad> {};

TEST_P(BadMessage, IsAnErrorThatNamesWhatIsAllowed) {
  const auto result = parse_client_message(GetParam().text);
  ASSERT_TRUE(std::holds_alternative<Error>(result));
  EXPECT_EQ(std::get<Error>(result).code, GetParam().code);
  EXPECT_THAT(std::get<Error>(result).message, HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Protocol, BadMessage,
    ::testing::Values(
        Bad{"", ErrorCode::kBadJson, "not JSON"}, Bad{"{", ErrorCode::kBadJson, "not JSON"},
        Bad{"[1]", ErrorCode::kBadJson, "not a JSON object"},
        Bad{R"({"type":"finish"} x)", ErrorCode::kBadJson, "not JSON"},
        Bad{std::string(100000, '['), ErrorCode::kBadJson, "not JSON"},
        Bad{"{\"type\":\"\xff\"}", ErrorCode::kBadJson, "not JSON"},
        Bad{R"({"type":"\x"})", ErrorCode::kBadJson, "not JSON"},
        Bad{R"({"type":"\ud800"})", ErrorCode::kUnknownType, "'\uFFFD' is unknown"},
        Bad{"{}", ErrorCode::kBadField, "field 'type' of the message is missing"},
        Bad{R"({"type":1})", ErrorCode::kBadField, "must be text"},
        Bad{R"({"type":"stop"})", ErrorCode::kUnknownType,
            "'stop' is unknown; allowed: start, configure, source, hypothesis, tail, end_sentence, "
            "finish"},
        Bad{R"({"type":"start","source":"de"})", ErrorCode::kBadField,
            "'target' of start is missing"},
        Bad{R"({"type":"start","source":1,"target":"en"})", ErrorCode::kBadField,
            "'source' of start"},
        Bad{R"({"type":"start","source":"de","target":"en","channel":"a b"})", ErrorCode::kBadField,
            "1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and .."},
        Bad{R"({"type":"start","source":"de","target":"en","channel":"."})", ErrorCode::kBadField,
            "other than . and .."},
        Bad{R"({"type":"start","source":"de","target":"en","channel":".."})", ErrorCode::kBadField,
            "other than . and .."},
        Bad{R"({"type":"start","source":"de","target":"en","silence":-1})", ErrorCode::kBadField,
            "'silence' of start must be a number of seconds from 0 to 3600"},
        Bad{R"({"type":"tail"})", ErrorCode::kBadField, "'text' of tail is missing"},
        Bad{R"({"type":"start","source":"de","target":"en","source_form":"sung"})",
            ErrorCode::kBadField, "'source_form' of start must be one of: written, spoken"},
        Bad{R"({"type":"start","source":"de","target":"en","tracks":[{"target":"fr"}]})",
            ErrorCode::kBadField, "'name' of start's tracks is missing"},
        Bad{R"({"type":"start","source":"de","target":"en","tracks":[{"name":"a"},{"name":"a"}]})",
            ErrorCode::kBadField, "unique, and not 'first'"},
        Bad{R"({"type":"start","source":"de","target":"en","tracks":[{"name":"first"}]})",
            ErrorCode::kBadField, "and not 'first', which names the first track"},
        Bad{R"({"type":"start","source":"de","target":"en","tracks":[1]})", ErrorCode::kBadField,
            "a list of objects"},
        Bad{R"({"type":"configure","policy":1})", ErrorCode::kBadField, "'policy' of configure"},
        Bad{R"({"type":"start","source":"de","target":"en","agreement":0})", ErrorCode::kBadField,
            "'agreement' of start must be a whole number from 1 to 10"},
        Bad{R"({"type":"start","source":"de","target":"en","agreement":11})", ErrorCode::kBadField,
            "'agreement' of start must be a whole number from 1 to 10"},
        Bad{R"({"type":"start","source":"de","target":"en","agreement":1.5})", ErrorCode::kBadField,
            "'agreement' of start must be a whole number"},
        Bad{R"({"type":"source","text":"a"})", ErrorCode::kBadField, "'seq' of source is missing"},
        Bad{R"({"type":"source","seq":"1","text":"a"})", ErrorCode::kBadField, "a whole number"},
        Bad{R"({"type":"source","seq":1.5,"text":"a"})", ErrorCode::kBadField, "a whole number"},
        Bad{R"({"type":"source","seq":1e300,"text":"a"})", ErrorCode::kBadField, "a whole number"},
        Bad{R"({"type":"source","seq":1,"text":["a"]})", ErrorCode::kBadField, "must be text"},
        Bad{R"({"type":"source","seq":1,"text":"a","time":"now"})", ErrorCode::kBadField,
            "a number"},
        Bad{R"({"type":"hypothesis","text":"a"})", ErrorCode::kBadField, "true or false"},
        Bad{R"({"type":"hypothesis","text":"a","final":true,"time":"1"})", ErrorCode::kBadField,
            "'time' of hypothesis must be a number"},
        Bad{R"({"type":"hypothesis","text":"a","final":true,"end_sentence":0})",
            ErrorCode::kBadField, "'end_sentence' of hypothesis must be true or false"},
        Bad{R"({"type":"hypothesis","text":"a","final":1})", ErrorCode::kBadField,
            "true or false"}));

TEST(Protocol, ErrorsQuoteInputBrieflyAndOnOneLine) {
  const std::string type = "a\nb" + std::string(10000, 'x') + "ü";
  const auto result = parse_client_message(JsonWriter().field("type", type).finish());
  const std::string message = std::get<Error>(result).message;
  EXPECT_LT(message.size(), 200U);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Protocol, ParsersAcceptAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    const auto& messages = client_messages();
    std::string text = to_json(messages[random() % messages.size()]);
    for (unsigned int changes = random() % 4; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    text.resize(text.size() - random() % 3);
    const auto result = parse_client_message(text);
    if (const auto* message = std::get_if<ClientMessage>(&result)) {
      EXPECT_EQ(parse_client_message(to_json(*message)), result);
    }
  }
}

TEST(Protocol, EveryErrorCodeHasANameOfItsOwn) {
  for (int i = 0; i < kErrorCodes; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code_by_name(name(code)), code);
    EXPECT_GE(close_code(code), 1001);
  }
  EXPECT_EQ(error_code_by_name("no-such-code"), std::nullopt);
}

TEST(Protocol, NumbersThatJsonLacksBecomeNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonWriter().field("a", infinity).field("b", 0.1).field("c", 1523.0).finish(),
            R"({"a":null,"b":0.1,"c":1523})");
}

TEST(Protocol, ChannelNamesHaveAllowedCharactersAndLength) {
  EXPECT_TRUE(is_channel_name("main"));
  EXPECT_TRUE(is_channel_name("A-z_0.9"));
  EXPECT_TRUE(is_channel_name(std::string(64, 'a')));
  EXPECT_FALSE(is_channel_name(""));
  EXPECT_FALSE(is_channel_name(std::string(65, 'a')));
  EXPECT_FALSE(is_channel_name("a/b"));
  EXPECT_FALSE(is_channel_name("ä"));
}

}  // namespace
}  // namespace surtitle::protocol
