// A source word as models read it.
//
// Pictures such as emoji, most mathematical signs, and marks such as [Applaus], hardly occur in the
// text that models are trained on. A model writes anything for them.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

// Returns the word without pictures, marks and square brackets, and without unknown signs at its
// ends: "gut" for "gut😀", "" for "<" and "(lacht)". Inside of a word, signs stay. Compatibility
// forms are written out: "1/2" for "½", "IV" for "Ⅳ", "-5" for "−5". Signs such as ≥ become words
// of `language`, such as "de", if it is German or English. REQUIRES: valid UTF-8.
std::string model_word(std::string_view word, std::string_view language = {});

// Returns whether model_word() leaves out a sign of mathematics that has a meaning, such as ≠.
bool loses_sign(std::string_view word, std::string_view language);

// Returns the first signs of a text in `language` that models do not read: pictures with what
// belongs to them, such as the colour of a skin, a mark in square brackets, or a word of unknown
// signs. Empty, at the end of the text, if there are none. REQUIRES: valid UTF-8.
std::string_view first_unread(std::string_view text, std::string_view language = {});

}  // namespace surtitle
