// The names of sounds that marks have, in several languages: [Applaus] is [applause] in English.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

// Returns the text with the name of each mark in square brackets translated into `language` (such
// as "en"). Unknown names stay. A full stop directly after a mark is removed. All else is
// unchanged. REQUIRES: valid UTF-8.
std::string translate_marks(std::string_view text, std::string_view language);

}  // namespace surtitle
