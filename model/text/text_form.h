// Written text, and text as most speech recognisers produce it.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

enum class TextForm {
  kWritten,  // with case and punctuation
  kSpoken,   // lower-case words without punctuation
};

inline constexpr std::string_view kTextForms = "written, spoken";  // all names
constexpr std::string_view name(TextForm form) {
  return form == TextForm::kWritten ? "written" : "spoken";
}

// Returns the form of a name, or nullopt if there is none of that name.
constexpr std::optional<TextForm> text_form_by_name(std::string_view name) {
  for (const TextForm form : {TextForm::kWritten, TextForm::kSpoken}) {
    if (surtitle::name(form) == name) return form;
  }
  return std::nullopt;
}

// Returns the spoken form of one written word: lower case, without punctuation at its ends.
// Characters inside the word stay (don't, well-known, 3.5), and so do signs that are read aloud (%,
// €). Empty for a word of punctuation alone. A spoken word is its own spoken form. REQUIRES: valid
// UTF-8.
std::string spoken_word(std::string_view word);

// Returns the spoken form of a text: that of its words, with one space between them.
std::string spoken_text(std::string_view text);

}  // namespace surtitle
