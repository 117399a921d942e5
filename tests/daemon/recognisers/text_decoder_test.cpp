#include "daemon/recognisers/text_decoder.h"

#include <gmock/gmock.h>

#include <random>
#include <stdexcept>

#include "daemon/base/json_repair.h"

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

TEST(TextDecoder, RefusesOtherKindsOfTextInAnyEncoding) {
  for (const std::string bytes :
       {"{0}{25}Das Haus", "{1}{1}25.000\n", "{100}{}Das", "[0][25]Das",
        "\"start\",\"end\",\"text\"\n", "start,end,text\n0,100,gut", "<SAMI>", "[INFORMATION]\n",
        "Dialogue: 0,0:00:01.00,", "Scenarist_SCC V1.0"}) {
    EXPECT_THAT(failure(bytes), HasSubstr("SRT and WebVTT are read"));
    EXPECT_THAT(failure("\xEF\xBB\xBF\r\n " + bytes), HasSubstr("SRT and WebVTT are read"));
    const std::u16string wide(bytes.begin(), bytes.end());
    EXPECT_THAT(failure(utf16(u"\uFEFF" + wide, true)), HasSubstr("SRT and WebVTT are read"));
  }
  EXPECT_THAT(failure("{0}{25}Das"), HasSubstr("a file in MicroDVD"));
  for (const std::string text :
       {"{Husten} Gut", "{1} Gut", "{1}{a}", "[0] gut", "[Info]", "<t", "st"}) {
    EXPECT_EQ(decode_text(text, "talk"), text);
  }
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

// The text of a pipe, in pieces.
std::string piped(std::string_view bytes, std::size_t piece, bool& converted) {
  TextDecoder decoder("talk");
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    decoder.feed(bytes.substr(0, piece), text);
    decoder.release(text);
  }
  decoder.finish(text);
  converted = decoder.converted();
  return text;
}

TEST(TextDecoder, ReadsWindows1252OfAPipe) {
  struct Case {
    std::string bytes;
    std::string text;
    bool converted;
  };
  const std::vector<Case> cases{
      {"Sch\xF6ne Gr\xFC\xDF\x65 \x84\xC4\xD6\xDC\x93 5 \x80\x81", "Schöne Grüße „ÄÖÜ“ 5 €\uFFFD",
       true},
      {"Stra\xDF", "Straß", true},
      {"\x84gro\xDF\x93 \xFC", "„groß“ ü", true},
      {"\u043c\u0438\u0440 \xFC", "\u043c\u0438\u0440 \xFC", false},
      {"\xE4\xF6\xFC", "äöü", true},
      {"gr\xC3\xBCn \xFC \xC3", "grün \xFC \xC3", false},
      {"\xEF\xBB\xBFgr\xFCn", "gr\xFCn", false},
      {"gr\xFCn gr\xC3\xBCn gr\xFCn", "grün grün gr\xFCn", true},
      {"gut", "gut", false},
  };
  for (const Case& one : cases) {
    for (const std::size_t piece : {1U, 2U, 3U, 100U}) {
      bool converted = false;
      EXPECT_EQ(piped(one.bytes, piece, converted), one.text);
      EXPECT_EQ(converted, one.converted) << one.text;
    }
  }
  EXPECT_EQ(decode_text("gr\xFCn", "talk"), "gr\xFCn") << "valid_text() decides by the whole file";
}

TEST(TextDecoder, RemovesWhatBackspacesErase) {
  EXPECT_EQ(shown_text("Guten Morben\b\b\bgen"), "Guten Morgen");
  EXPECT_EQ(shown_text("\b\bgr\u00fc\b\u00fcn\n\b|\b/\b-\bgut"), "grün\ngut");
  EXPECT_EQ(decode_text("M\bMo\bor", "talk"), "Mor");
  EXPECT_EQ(without_controls("a\rb\b\bc"), "a\rc") << "a carriage return is white space";
}

TEST(TextDecoder, LeavesOutControlCharactersOfC1) {
  EXPECT_EQ(shown_text("\u009b31mgut\u009b0m \u0080so\u009d\u0085ja\u00a0\u00e4"),
            "gut so\nja\u00a0ä");
  EXPECT_EQ(shown_text("gut\xC2"), "gut\xC2");
  EXPECT_EQ(decode_text("\xC2\x9b"
                        "2Kgut \xC2\xC2\xA9 \xC2",
                        "talk"),
            "\rgut \xC2© \xC2");
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
