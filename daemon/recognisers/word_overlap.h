// Where one text begins again with what another one ended with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace surtitle {

// How many of the first words of `next` are the last words of `last`; case and punctuation do not
// count. Pure.
std::size_t repeated_words(const std::vector<std::string>& last,
                           const std::vector<std::string>& next);

}  // namespace surtitle
