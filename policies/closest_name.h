// Finds the name that a mistyped name was probably meant to be, for error messages.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

// Returns the name with the fewest insertions, deletions, replacements and swaps of neighbours
// between it and `mistyped`, or nullopt if the nearest name differs in more than a third of its
// characters. Bytes are compared.
std::optional<std::string> closest_name(std::string_view mistyped,
                                        const std::vector<std::string>& names);

// Returns "; did you mean NAME?" for the closest name, or "; allowed: NAME, NAME" if no name is
// close.
std::string allowed_names(std::string_view mistyped, const std::vector<std::string>& names);

}  // namespace surtitle
