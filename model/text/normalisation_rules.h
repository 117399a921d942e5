// Rules that make text uniform before it is divided into pieces.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>

namespace surtitle {

// Returns the rules in sentencepiece's format, one a line: hexadecimal code points, a tab, their
// replacement.
//
// Latin letters are composed (NFC). Ligatures and Unicode's spaces become plain; soft hyphens and
// other invisible characters are removed. Signs that differ only in looks become one, so that a
// small vocabulary learns each. Typographic quotation marks become " and ', an ellipsis three dots,
// the hyphens -, the dashes an en dash. NFKC, sentencepiece's default, would also turn a
// superscript into a digit and an acute accent into a space.
std::string normalisation_rules();

// Returns the characters, in UTF-8, that every vocabulary has, even if its text lacks them: Latin
// letters with all accents of European languages and of Vietnamese, Greek letters, common emoji,
// arrows, and signs of currency, measures, law and mathematics.
std::string required_characters();

}  // namespace surtitle
