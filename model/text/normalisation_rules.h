// How text is made uniform before it is cut into pieces.
#pragma once

#include <string>

namespace surtitle {

// The rules as sentencepiece reads them, a line each: hexadecimal code points, a tab, those that
// take their place. Latin letters are composed (NFC), ligatures and Unicode's spaces made plain,
// soft hyphens and other invisible characters dropped. Signs that differ only in looks become one,
// so that a small vocabulary learns each: typographic quotation marks become " and ', an ellipsis
// three dots, the hyphens -, the dashes an en dash. NFKC, sentencepiece's own choice, would also
// turn a superscript into a digit and an acute accent into a space.
std::string normalisation_rules();

// UTF-8: the characters that every vocabulary has, however rare they are in its text. Latin letters
// with all accents of European languages and of Vietnamese, Greek letters, signs of currency,
// measures, law and mathematics, arrows, the commonest emoji.
std::string required_characters();

}  // namespace surtitle
