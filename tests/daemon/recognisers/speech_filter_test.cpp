// Marks of sounds, hesitations and labels of speakers are no words.
#include "daemon/recognisers/speech_filter.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/daemon/recognisers/hearing.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string words_of(std::string_view text, const std::string& language = "de") {
  SpeechRule rule;
  rule.language = language;
  return speech_of(text, rule).text;
}

std::string join_spelt(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

TEST(SpeechFilter, KeepsWordsInBracketsThatNameNoSound) {
  for (const std::string text :
       {"Der Minister [Olaf Scholz] sagte, er werde [den Vertrag] unterschreiben. Seite [12].",
        "Die Bürger[innen] von hier", "Der Wert ist <3 und >2.",
        "Der <Benutzer> gibt seinen <Namen> ein.", "Ist a <b und c> d", "[12]"}) {
    EXPECT_EQ(words_of(text), text);
  }
  EXPECT_EQ(words_of("[Tür geht auf]"), "");
  EXPECT_EQ(words_of("Lesen Sie [unsere neue Seite](https://example.org/a), heute."),
            "Lesen Sie unsere neue Seite, heute.");
  EXPECT_EQ(words_of("Gut <00:01.000> so <00:00:01,5>[00:01] <Applaus> ja"), "Gut so ja");
  EXPECT_EQ(words_of("<font color=\"red\">gut</font> <c.yellow>so</c><br/> <eps> ja"), "gut so ja");
}

TEST(SpeechFilter, RemovesTheEmphasisOfMarkdown) {
  EXPECT_EQ(words_of("*Das* ist *wichtig*, **sehr** wichtig."), "Das ist wichtig, sehr wichtig.");
  EXPECT_EQ(words_of("Ja, **sehr wichtig** und ***ganz neu***!"), "Ja, sehr wichtig und ganz neu!");
  EXPECT_EQ(words_of("Das _ist_ __gut__, ~~schlecht~~ und `neu`."),
            "Das ist gut, schlecht und neu.");
  EXPECT_EQ(words_of("Ist das (*sehr wichtig.*) „**gut**“?"), "Ist das (sehr wichtig.) „gut“?");
  EXPECT_EQ(words_of("Gut *lacht* so. *Applaus* **Achtung!**"), "Gut so. Achtung!");
  for (const std::string text : {"Autor*innen sind 2*3 und 2**3 ~5 Grad, ein 4* Hotel * so",
                                 "a_b ist snake_case und C# ist #1 von #2 mit #Klima #Wandel"}) {
    EXPECT_EQ(words_of(text), text);
  }
}

TEST(SpeechFilter, LeavesOutTheHeaderOfLyrics) {
  EXPECT_EQ(words_of("[ti:Lied] [ar: Wer auch immer] [length:02:10] [00:12.00]Das Haus"),
            "Das Haus");
  EXPECT_EQ(words_of("Siehe [dazu: Seite 3] hier"), "Siehe [dazu: Seite 3] hier");
}

TEST(SpeechFilter, LeavesOutSongsBetweenHashes) {
  EXPECT_EQ(words_of("# Freude schöner Götterfunken # Das war schön."), "Das war schön.");
  EXPECT_EQ(words_of("Ja. # Freude, schöner Götterfunken, #"), "Ja.");
  EXPECT_EQ(words_of("♪♪ Freude schöner Götterfunken ♪♪ Das war schön."), "Das war schön.");
  EXPECT_EQ(words_of("Nummer # 5 und # 6"), "Nummer # 5 und # 6");
  EXPECT_EQ(words_of("# Titel des Kapitels"), "# Titel des Kapitels");
  EXPECT_EQ(words_of("Wert # so und #1"), "Wert # so und #1");
}

struct Case {
  std::string text;
  std::string words;
};

TEST(SpeechFilter, LeavesOutMarksOfSounds) {
  const std::vector<Case> cases{
      {"[Applaus] Guten Tag", "Guten Tag"},
      {"Guten [BLANK_AUDIO] Tag", "Guten Tag"},
      {"Guten Tag. [Musik spielt leise]", "Guten Tag."},
      {"Guten Tag.[Applaus] Und nun", "Guten Tag. Und nun"},
      {"[Musik]Guten Tag", "Guten Tag"},
      {"(Musik) Guten Tag", "Guten Tag"},
      {"(upbeat music)", ""},
      {"(leise Klänge)", ""},
      {"(audience applauding) Thank you", "Thank you"},
      {"(Beifall bei Abgeordneten der CDU/CSU und der SPD) Danke", "Danke"},
      {"*lacht* Danke *räuspert sich* sehr", "Danke sehr"},
      {"{laughs} Thanks", "Thanks"},
      {"*seufz* Danke (Hund bellt) sehr (...) gut (.)", "Danke sehr gut"},
      {"♪ la la la ♪ Guten Tag", "Guten Tag"},
      {"♪♪ Guten Tag", "Guten Tag"},
      {"♪♪ Freude schöner Götterfunken ♪♪ Das war schön.", "Das war schön."},
      {"♪ Guten Tag. Und nun weiter", "Guten Tag. Und nun weiter"},
      {"♪ la la. La la ♪ Guten Tag", "Guten Tag"},
      {"* Titelmusik * Guten Tag", "Guten Tag"},
      {"Guten Tag ♪ la la", "Guten Tag"},
      {"🎵 Musik 🎵", ""},
      {"guten [unk] tag <unk> alle", "guten tag alle"},
      {"<s> guten tag </s>", "guten tag"},
      {"<|de|> guten tag <|endoftext|>", "guten tag"},
      {"<i>Guten</i> <b>Tag</b>", "Guten Tag"},
      {"<font color=\"#fff\">Guten Tag</font>", "Guten Tag"},
      {"++NOISE++ guten tag ⁇ !SIL", "guten tag"},
      {"So [Musik", "So"},
      {"gut(hustet)weiter so", "gut weiter so"},
      {"Danke.(lacht) Und nun", "Danke. Und nun"},
      {"Danke.(leise Musik) Und nun", "Danke. Und nun"},
      {"Danke!*lacht*", "Danke!"},
      {"Danke,{laughs} ja", "Danke, ja"},
      {"{\\an8}Guten {\\i1}Tag{\\i0}", "Guten Tag"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(words_of(one.text), one.words) << one.text;
  }
}

TEST(SpeechFilter, KeepsWordsInTheSameSigns) {
  for (const std::string text :
       {"Die EU (Europäische Union) hat", "Er ist (so scheint es doch wohl) da", "Kolleg[inn]en",
        "3 < 5 und 7 > 6", "a * b", "{} und {x}", "x [1 2 3 4 5 6 7 8 9 10 11 12 13 14",
        "Der Sprecher sagte: gut", "er um den Gast", "Erstens: wir", "die Musik (von ihm)",
        "Kolleg(inn)en", "bzw.(neu) gilt", "f(x) und a*b*c", "Bürger*innen", "Lied(er)"}) {
    EXPECT_EQ(words_of(text), text);
  }
}

TEST(SpeechFilter, LeavesTheStopBehindAMarkToTheWordBefore) {
  const std::vector<Case> cases{
      {"Wir danken (lacht). Morgen kommen wir", "Wir danken. Morgen kommen wir"},
      {"Das ist gut [Applaus]. Danke", "Das ist gut. Danke"},
      {"Das ist gut <unk>. Danke", "Das ist gut. Danke"},
      {"Kommt er *lacht*? Ja", "Kommt er? Ja"},
      {"Er kommt {laughs}! Ja", "Er kommt! Ja"},
      {"Er kommt [Musik]… Ja", "Er kommt… Ja"},
      {"Er kommt [Musik]。 Ja", "Er kommt。 Ja"},
      {"„Er kommt (lacht).“ Ja", "„Er kommt.“ Ja"},
      {"Er kommt (lacht).Ja", "Er kommt. Ja"},
      {"Er singt ♪ la la ♪. Ja", "Er singt. Ja"},
      {"er kommt ++NOISE++. ja ⁇. so !SIL.", "er kommt. ja. so."},
      {"Er kommt [Applaus] (lacht). Ja", "Er kommt. Ja"},
      {"Danke [Applaus].", "Danke."},
      {"Danke. (lacht). Ja", "Danke. Ja"},
      {"Danke (lacht), ja", "Danke ja"},
      {"Danke (...) ja (Applaus.) ja", "Danke ja ja"},
      {"[Applaus]. Danke", "Danke"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(words_of(one.text), one.words) << one.text;
  }
  EXPECT_EQ(speech_of("Gut [Applaus]? Ja", {true, false, false, "de"}).text, "Gut? [Applaus]. Ja");
  EXPECT_THAT(hear("text", "Wir danken (lacht). Morgen\n"),
              ElementsAre("Wir", "danken", ".", "Morgen"));
  EXPECT_THAT(hear("text", "gut <unk>. ja\n"), ElementsAre("gut", ".", "ja"));
  EXPECT_THAT(hear("vosk", R"({"text": "gut [unk]. ja"})"), ElementsAre("=gut. ja"));
}

TEST(SpeechFilter, KeepsTheWordsAfterASignThatDoesNotClose) {
  for (const std::string text :
       {"Danke, meine Damen [und Herren. Wir beginnen jetzt.", "guten morgen [unk meine damen",
        "So [Mus", "gut [", "gut (Musik meine Damen", "gut (Beifall für alle, die da sind",
        "gut {lacht meine Damen", "gut {Musik und Tanz", "gut [so [und so"}) {
    EXPECT_EQ(words_of(text), text);
    EXPECT_EQ(join_spelt(hear("text", text)), text);
    EXPECT_THAT(hear("jsonl", "{\"text\": \"" + text + "\", \"final\": true}"),
                ElementsAre("=" + text));
    EXPECT_EQ(hear("jsonl", "{\"text\": \"" + text + "\", \"final\": false}").back(), "=" + text);
  }
  EXPECT_EQ(words_of("gut [so ist. [Applaus] Wir (so [Musik] gehen"), "gut [so ist. Wir (so gehen");
  EXPECT_EQ(words_of("gut [Musik [leise] spielt] ja"), "gut ja");
  EXPECT_THAT(hear("text", "Das ist [unklar gut. Danke.\n\nWie"),
              ElementsAre("Das", "ist", "[unklar", "gut.", "Danke.", ".", "Wie"));
}

TEST(SpeechFilter, LeavesAnOpenMarkOutOfHypotheses) {
  EXPECT_THAT(hear("jsonl", R"({"text": "gut [Musik spielt", "final": false})"
                            "\n"
                            R"({"text": "gut [Musik spielt] ja", "final": true})"),
              ElementsAre("~gut", "=gut ja"));
  EXPECT_THAT(hear("jsonl", R"({"text": "[und so", "final": false})"), ElementsAre("=[und so"));
}

TEST(SpeechFilter, LeavesOutHesitationsOfTheLanguage) {
  EXPECT_EQ(words_of("Äh, ich glaube, ähm, wir ähhh sind hmmm da"), "ich glaube, wir sind da");
  EXPECT_EQ(words_of("ich gehe um zehn"), "ich gehe um zehn");
  EXPECT_EQ(words_of("um I uh think erm so", "en"), "I think so");
  EXPECT_EQ(words_of("%HESITATION yes", "en"), "yes");
  EXPECT_EQ(words_of("ich glaube äh. Und dann"), "ich glaube. Und dann");
}

TEST(SpeechFilter, MakesALabelAnotherSpeaker) {
  const std::vector<Case> cases{
      {"Guten Tag >> Ja hallo", "Guten Tag. Ja hallo"},
      {"Guten Tag. >> Ja", "Guten Tag. Ja"},
      {">> ANGELA MERKEL: Guten Tag", "Guten Tag"},
      {">>Guten Tag", "Guten Tag"},
      {"gut &gt;&gt; ja &gt;&gt;so", "gut. ja. so"},
      {"gut SPEAKER_01: ja", "gut. ja"},
      {"gut Speaker 2: ja", "gut. ja"},
      {"gut [Sprecher 2]: ja", "gut. ja"},
      {"gut [SPEAKER_TURN] ja", "gut. ja"},
      {"gut (Speaker 1) ja", "gut. ja"},
      {"<v Roger Bingham>Guten Tag", "Guten Tag"},
      {"Moderatorin: Guten Tag", "Guten Tag"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(words_of(one.text), one.words) << one.text;
  }
  EXPECT_TRUE(speech_of(">> Ja", SpeechRule()).begins_sentence);
  EXPECT_FALSE(speech_of("Ja", SpeechRule()).begins_sentence);
}

TEST(SpeechFilter, KeepsWhatTheRuleKeeps) {
  const std::string text = "[Applaus] äh Speaker 1: gut";
  EXPECT_EQ(speech_of(text, {true, false, false, "de"}).text, "[Applaus]. gut");
  EXPECT_EQ(speech_of("(Beifall bei der SPD. Zuruf) gut", {true, false, false, "de"}).text,
            "[Beifall bei der SPD Zuruf]. gut");
  EXPECT_EQ(speech_of("♪ la… „la!“ la. ♪", {true, false, false, "de"}).text, "[♪ la „la la ♪]");
  EXPECT_EQ(speech_of(text, {false, true, false, "de"}).text, "äh. gut");
  EXPECT_EQ(speech_of(text, {false, false, true, "de"}).text, "Speaker 1: gut");
}

TEST(SpeechFilter, IsTheSameForAllFormats) {
  EXPECT_THAT(hear("text", "gut [Applaus] äh Speaker 1: ja\n"), ElementsAre("gut", ".", "ja"));
  EXPECT_THAT(hear("jsonl", "{\"text\": \"gut [Applaus] äh >> ja\"}\n"),
              ElementsAre("gut", ".", "ja"));
  EXPECT_THAT(hear("vosk", R"({"partial": "[unk] gut äh"} {"text": "[unk] gut äh so"})"),
              ElementsAre("~gut", "=gut so"));
  EXPECT_THAT(hear("vosk", R"({"text": "[unk]"})"), IsEmpty());
  EXPECT_THAT(hear("simulstreaming", R"({"text": " (Musik) So", "end": 1})"), ElementsAre("So@1"));
  EXPECT_THAT(hear("whisper-streaming", "9.0 0 100 [Musik] So\n"), ElementsAre("So@0.1"));
  EXPECT_THAT(hear("pocketsphinx", "++NOISE++ where is it\n"), ElementsAre("=where is it"));
  EXPECT_THAT(hear("text", "gut [Applaus] ja\n", {true}),
              ElementsAre("gut", ".", "[Applaus]", ".", "ja"));
}

TEST(SpeechFilter, EndsTheSentenceIfAContinuedTextBeginsWithASpeaker) {
  const std::string deepgram =
      R"({"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":")";
  EXPECT_THAT(hear("deepgram", deepgram + "gut\"}]}}" + deepgram + ">> ja\"}]}}"),
              ElementsAre("+gut", ".", "+ja"));
}

TEST(SpeechFilter, DoesNotDependOnTheDivisionIntoPieces) {
  const std::vector<std::string> parts{"[",   "]",        "(Musik", ") ",  "♪ ",     "*lacht* ",
                                       ">> ", "Speaker ", "1:",     "äh ", "Guten ", "Tag. ",
                                       "]. ", "<v ",      "> ",     "\n",  "\n\n"};
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
      text += parts[random() % parts.size()];
    }
    ASSERT_EQ(hear_in_pieces("text", text, random), hear("text", text))
        << ::testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace surtitle
