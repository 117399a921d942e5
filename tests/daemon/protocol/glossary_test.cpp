#include "daemon/protocol/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "daemon/protocol/protocol.h"

namespace surtitle::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string failure_of(const std::string& text) {
  try {
    parse_glossary(text, "terms");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Glossary, ReadsLinesWithAnEqualsSignAndIgnoresComments) {
  EXPECT_THAT(parse_glossary(
                  "\uFEFF# terms\r\n\n Wärmepumpe =  heat   pump \r\nSurtitle\nC++ = C++", "terms"),
              ElementsAre(GlossaryEntry{"Wärmepumpe", "heat pump"},
                          GlossaryEntry{"Surtitle", "Surtitle"}, GlossaryEntry{"C++", "C++"}));
}

TEST(Glossary, ReadsColumnsOfCsvAndTsv) {
  EXPECT_THAT(
      parse_glossary("Source,Target,Note\n\"Haus, rotes\",\"red \"\"house\"\"\",x\na;b\nc\td=e",
                     "terms"),
      ElementsAre(GlossaryEntry{"Haus, rotes", "red \"house\""}, GlossaryEntry{"a", "b"},
                  GlossaryEntry{"c", "d=e"}));
}

TEST(Glossary, KeepsATermAloneWithoutItsSign) {
  EXPECT_THAT(parse_glossary("Brinkhaus*\nBad* Doberan", "terms"),
              ElementsAre(GlossaryEntry{"Brinkhaus*", "Brinkhaus"},
                          GlossaryEntry{"Bad* Doberan", "Bad Doberan"}));
}

TEST(Glossary, NamesTheLineOfAnError) {
  EXPECT_EQ(failure_of("a = b\nc ="), "terms:2: the entry must have a translation of 'c'");
  EXPECT_THAT(failure_of("a = \xff"), HasSubstr("terms:1: the line is not UTF-8"));
  EXPECT_THAT(failure_of("a b c d e f g h i = x"), HasSubstr("1 to 8 words"));
  EXPECT_THAT(failure_of(std::string(201, 'a')), HasSubstr("at most 200 bytes"));
  EXPECT_THAT(failure_of("streng geheim = ***"), HasSubstr("must mask one word"));
  std::string many;
  for (int i = 0; i <= 500; ++i) {
    many += "a" + std::to_string(i) + " = b\n";
  }
  EXPECT_EQ(failure_of(many), "terms:501: a glossary must have at most 500 entries");
}

TEST(Glossary, FindsTheTermsOfATextForPeople) {
  EXPECT_THAT(
      find_terms("A talk about heating. Names:\nWärmepumpe = heat pump; Kessel -> boiler\n= x"),
      ElementsAre(GlossaryEntry{"Wärmepumpe", "heat pump"}, GlossaryEntry{"Kessel", "boiler"}));
  EXPECT_THAT(find_terms("A talk about heating."), IsEmpty());
}

TEST(Glossary, MergedHasTheLaterEntryOfATerm) {
  EXPECT_THAT(merge({{"a", "1"}, {"b", "2"}}, {{"a", "3"}}),
              ElementsAre(GlossaryEntry{"b", "2"}, GlossaryEntry{"a", "3"}));
}

TEST(Glossary, IsPartOfStartAndConfigure) {
  Start start{"de", "en", {}, {}, {}};
  start.glossary = {{"Wärmepumpe", "heat pump"}, {"x", "***"}};
  start.tracks = {{"fr", "fr", {}, {}, Glossary{{"a", "b"}}}};
  EXPECT_EQ(parse_client_message(to_json(start)), (std::variant<ClientMessage, Error>(start)));
  Configure configure;
  configure.glossary = Glossary();
  EXPECT_EQ(parse_client_message(to_json(configure)),
            (std::variant<ClientMessage, Error>(configure)));
}

TEST(Glossary, OfAMessageIsChecked) {
  const auto error_of = [](const std::string& glossary) {
    const auto parsed = parse_client_message(
        R"({"type":"start","source":"de","target":"en","glossary":)" + glossary + "}");
    const auto* error = std::get_if<Error>(&parsed);
    return error == nullptr ? "" : error->message;
  };
  EXPECT_EQ(error_of(R"([["a","b"]])"), "");
  EXPECT_THAT(error_of(R"([["a"]])"), HasSubstr("entry 1 has another length"));
  EXPECT_THAT(error_of(R"([["a","b"],["c",""]])"), HasSubstr("entry 2 must have a translation"));
  EXPECT_THAT(error_of(R"({"a":"b"})"), HasSubstr("a list of lists of texts"));
  EXPECT_THAT(error_of(R"([["a\u0007","b"]])"), HasSubstr("control characters"));
  std::string many = "[";
  for (int i = 0; i <= 500; ++i) {
    many += std::string(i == 0 ? "" : ",") + R"(["a","b"])";
  }
  EXPECT_THAT(error_of(many + "]"), HasSubstr("at most 500 entries"));
}

}  // namespace
}  // namespace surtitle::protocol
