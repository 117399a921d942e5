// Splits text into words.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns the words of a text: maximal runs without white space (ASCII and Unicode spaces). A
// character of a script without spaces is a word of its own (model/text/unspaced.h).
std::vector<std::string_view> split_words(std::string_view text);

// Returns the same words as a tokenizer reads them: those that keep the space before them begin
// with it (keeps_spaces() in model/text/unspaced.h).
std::vector<std::string> split_words_with_spaces(std::string_view text);

}  // namespace surtitle
