// Where a sentence ends.
#pragma once

#include <string_view>

namespace surtitle {

// True where a sentence ends with this word: it ends in . ! ? or …, whatever closing quotes and
// brackets follow. A full stop does not count after one or two digits ("3."), a single letter
// ("A.") and a few common abbreviations ("z.B.", "Dr."). REQUIRES: valid UTF-8.
bool ends_sentence(std::string_view word);

}  // namespace surtitle
