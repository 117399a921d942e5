// Text as people write it, and as most speech recognisers give it.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

enum class TextForm {
  kWritten,  // with case and punctuation
  kSpoken,   // lower-case words alone
};

inline constexpr std::string_view kTextForms = "written, spoken";  // all names
constexpr std::string_view name(TextForm form) {
  return form == TextForm::kWritten ? "written" : "spoken";
}

// The inverse.
constexpr std::optional<TextForm> text_form_by_name(std::string_view name) {
  for (const TextForm form : {TextForm::kWritten, TextForm::kSpoken}) {
    if (surtitle::name(form) == name) return form;
  }
  return std::nullopt;
}

// The spoken form of one written word: lower case, without punctuation at its ends. What stands
// inside it stays (don't, well-known, 3.5), and so do signs that are read aloud (%, €). Empty where
// the word is punctuation alone. The spoken form of a spoken word is that word. REQUIRES: valid
// UTF-8.
std::string spoken_word(std::string_view word);

// The spoken form of a text: its words' with one space between them.
std::string spoken_text(std::string_view text);

}  // namespace surtitle
