// Finds the ends of sentences by punctuation.
#pragma once

#include <string_view>

namespace surtitle {

// Returns true if the word ends a sentence: it ends in . ! ? or …, and closing quotes or brackets
// may follow. A full stop does not count after one or two digits ("3."), a single letter ("A.") and
// common abbreviations ("z.B.", "Dr."). REQUIRES: valid UTF-8. Thread-safety: may be called from
// any thread.
bool ends_sentence(std::string_view word);

}  // namespace surtitle
