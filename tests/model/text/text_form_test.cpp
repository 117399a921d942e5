#include "model/text/text_form.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(TextForm, HasNamesBothWays) {
  for (const TextForm form : {TextForm::kWritten, TextForm::kSpoken}) {
    EXPECT_EQ(text_form_by_name(name(form)), form);
  }
  EXPECT_EQ(text_form_by_name("shouted"), std::nullopt);
}

TEST(TextForm, SpokenWordsAreLowerCaseWithoutPunctuationAtTheirEnds) {
  EXPECT_EQ(spoken_word("Guten"), "guten");
  EXPECT_EQ(spoken_word("„Über"), "über");
  EXPECT_EQ(spoken_word("Herren!“"), "herren");
  EXPECT_EQ(spoken_word("¿Qué?"), "qué");
  EXPECT_EQ(spoken_word("ЭТО…"), "это");
  EXPECT_EQ(spoken_word("、日本。"), "日本");
  EXPECT_EQ(spoken_word("STRASSE."), "strasse");
}

TEST(TextForm, WhatStandsInsideAWordStays) {
  EXPECT_EQ(spoken_word("Don't,"), "don't");
  EXPECT_EQ(spoken_word("(well-known)"), "well-known");
  EXPECT_EQ(spoken_word("3.5"), "3.5");
  EXPECT_EQ(spoken_word("'tis"), "tis");
}

TEST(TextForm, SignsThatAreReadAloudStay) {
  EXPECT_EQ(spoken_word("20%."), "20%");
  EXPECT_EQ(spoken_word("(€5)"), "€5");
  EXPECT_EQ(spoken_word("&"), "&");
}

TEST(TextForm, PunctuationAloneIsNoSpokenWord) {
  EXPECT_EQ(spoken_word("–"), "");
  EXPECT_EQ(spoken_word("..."), "");
  EXPECT_EQ(spoken_text("  Ja – bitte!\tGern …  "), "ja bitte gern");
  EXPECT_EQ(spoken_text("– …"), "");
}

TEST(TextForm, SpokenTextStaysAsItIs) {
  for (const char* text : {"guten morgen", "don't 3.5", "20% à la carte", "übergrößenträger"}) {
    EXPECT_EQ(spoken_text(text), text);
    EXPECT_EQ(spoken_text(spoken_text(text)), text);
  }
}

}  // namespace
}  // namespace surtitle
