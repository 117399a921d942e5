// The parts of a request's address.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surtitle {

// "%41" to "A"; nothing where the encoding is broken or hides a NUL.
std::optional<std::string> percent_decode(std::string_view text);

// "/c/main?track=fr" to "/c/main" and "track=fr".
std::pair<std::string_view, std::string_view> split_target(std::string_view target);

// "track=fr&lines=2" as names and values, decoded, in order. A part whose encoding is broken is
// left out.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace surtitle
