#include "daemon/translation/sentence_splitter.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(SentenceSplitter, EndsAtPunctuation) {
  for (const char* word :
       {"Morgen.", "Ja!", "Wirklich?", "nun…", "...", "gut.“", "(Beifall.)", "Nein!«", "?!", ".",
        "1989.", "„Ja.“", "Ende.\"", "Welt。", "ab.)\"", "abc...", "100."}) {
    EXPECT_TRUE(ends_sentence(word)) << word;
  }
}

TEST(SentenceSplitter, ContinuesOtherwise) {
  for (const char* word :
       {"",     "Morgen", "Morgen,", "3.",    "21.",  "(3.",  "A.",    "Ä.",  "z.B.",
        "Dr.",  "„Dr.",   "(z.B.",   "usw.)", "bzw.", "u.a.", "2,5",   "10:", "Haus;",
        "…und", "?a",     "\"",      "“",     "Z.B.", "Ca.",  "„Bzw.", "D.h."}) {
    EXPECT_FALSE(ends_sentence(word)) << word;
  }
}

}  // namespace
}  // namespace surtitle
