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

// Returns the word without pictures and marks, and without unknown signs at its ends: "gut" for
// "gut😀", "" for "<" and "(lacht)". Inside of a word, signs stay. REQUIRES: valid UTF-8.
std::string model_word(std::string_view word);

// Returns the first signs that models do not read: pictures with what belongs to them, such as the
// colour of a skin, a mark in square brackets, or a word of unknown signs. Empty, at the end of the
// text, if there are none. REQUIRES: valid UTF-8.
std::string_view first_unread(std::string_view text);

}  // namespace surtitle
