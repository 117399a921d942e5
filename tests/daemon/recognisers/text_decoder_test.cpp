#include "daemon/recognisers/text_decoder.h"

#include <gmock/gmock.h>

#include <random>
#include <stdexcept>

#include "daemon/recognisers/json_repair.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

std::string utf16(std::u16string_view text, bool little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto high = static_cast<char>(unit >> 8U);
    const auto low = static_cast<char>(unit & 0xFFU);
    bytes += little ? std::string{low, high} : std::string{high, low};
  }
  return bytes;
}

std::string failure(std::string_view bytes) {
  try {
    decode_text(bytes, "talk");
    return "nothing was thrown";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(TextDecoder, RefusesSubtitlesOfOtherFormats) {
  for (const std::string bytes : {"[Script Info]\nTitle: x", "<?xml version=\"1.0\"?><tt>",
                                  "<tt xmlns=\"x\">", "start\tend\ttext\n0\t100\tgut"}) {
    EXPECT_THAT(failure(bytes), HasSubstr("SRT and WebVTT are read"));
  }
  EXPECT_EQ(decode_text("start der Rede", "talk"), "start der Rede");
}

TEST(TextDecoder, ReadsUtf16WithAndWithoutAMark) {
  for (const bool little : {true, false}) {
    EXPECT_EQ(decode_text(utf16(u"\uFEFFGrüß 𝄞", little), "talk"), "Grüß 𝄞");
    EXPECT_EQ(decode_text(utf16(u"Grüß", little), "talk"), "Grüß");
    EXPECT_EQ(decode_text(utf16(u"Gu\xD834 \xDD1E", little), "talk"), "Gu\uFFFD \uFFFD");
  }
  EXPECT_EQ(decode_text(utf16(u"Guten", true) + "x", "talk"), "Guten\uFFFD");
}

TEST(TextDecoder, RemovesTheMarkOfUtf8) {
  EXPECT_EQ(decode_text("\xEF\xBB\xBFgut", "talk"), "gut");
  EXPECT_EQ(decode_text("\xEF\xBB", "talk"), "\xEF\xBB");
  EXPECT_EQ(decode_text("", "talk"), "");
}

TEST(TextDecoder, LeavesOutEscapeSequencesAndControlCharacters) {
  EXPECT_EQ(decode_text("\x1b[1;32mgut\x1b[0m so\x1b[K", "talk"), "gut so");
  EXPECT_EQ(decode_text("\x1b]0;title\a"
                        "gut\x1b(B\x1b]8;;x\x1b\\ so",
                        "talk"),
            "gut so");
  EXPECT_EQ(decode_text(std::string("g\0u\x01t\x7f", 6), "talk"), "gut");
  EXPECT_EQ(decode_text("gut\x1b[2Kso", "talk"), "gut\rso");
}

TEST(TextDecoder, RefusesBinaryData) {
  EXPECT_EQ(failure("RIFF\x24\x08\x01WAVEfmt "),
            "talk: the input is a WAV or AVI file; allowed: text in UTF-8 or UTF-16");
  EXPECT_THAT(failure("ID3\x04\x01"), HasSubstr("an MP3 file"));
  EXPECT_THAT(failure(std::string("\0\0\0\x20"
                                  "ftypisom",
                                  12)),
              HasSubstr("an MP4 file"));
  std::mt19937 random(5);
  std::string sound;
  for (int i = 0; i < 4000; ++i) {
    sound += static_cast<char>(random() % 7);
    sound += '\0';
  }
  EXPECT_THAT(failure("\x02\x05" + sound), HasSubstr("binary data"));
}

TEST(TextDecoder, AcceptsTextWithAFewControlCharacters) {
  const std::string text = "gut\x01 so\x02 und ";
  EXPECT_EQ(decode_text(text, "talk"), "gut so und ");
  std::string longer;
  for (int i = 0; i < 100; ++i) {
    longer += "Guten Morgen ";
  }
  EXPECT_EQ(decode_text("\x01\x02" + longer, "talk"), longer);
}

TEST(TextDecoder, ShowsTheLastStateOfALine) {
  EXPECT_EQ(shown_text("guten\rguten morgen"), "guten morgen");
  EXPECT_EQ(shown_text("eins\r\nzwei\r\n"), "eins\nzwei\n");
  EXPECT_EQ(shown_text("10%\r20%\r\ngut"), "20%\ngut");
  EXPECT_EQ(shown_text("\x1b[31mgut\x1b[0m"), "gut");
}

TEST(JsonRepair, ReplacesHalfASurrogatePair) {
  EXPECT_EQ(repair_json(R"({"a":"x\ud83d"})"), R"({"a":"x\ufffd"})");
  EXPECT_EQ(repair_json(R"({"a":"\udc00\ud83d\ude00\uD83D\n"})"),
            R"({"a":"\ufffd\ud83d\ude00\ufffd\n"})");
  EXPECT_EQ(repair_json(R"(["\ud83d\ud83d\ude00"])"), R"(["\ufffd\ud83d\ude00"])");
}

TEST(JsonRepair, MakesNumbersThatJsonLacksNull) {
  EXPECT_EQ(repair_json(R"([NaN, -Infinity,nan,inf,"NaN",1.5e-3,true])"),
            R"([null, null,null,null,"NaN",1.5e-3,true])");
}

TEST(JsonRepair, EscapesControlCharactersAndInvalidEscapes) {
  EXPECT_EQ(repair_json("[\"a\tb\nc\"]"), R"(["a\u0009b\u000ac"])");
  EXPECT_EQ(repair_json(R"(["\x","\u12","\"", "\\"])"), R"(["\\x","\\u12","\"", "\\"])");
}

}  // namespace
}  // namespace surtitle
