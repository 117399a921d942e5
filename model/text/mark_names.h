// The names of sounds that marks have, in several languages: [Applaus] is [applause] in English.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

// Returns a text with each mark in square brackets in `language` (such as "en"), as far as its name
// is known, and without a full stop behind it. All else is unchanged. REQUIRES: valid UTF-8.
std::string translate_marks(std::string_view text, std::string_view language);

}  // namespace surtitle
