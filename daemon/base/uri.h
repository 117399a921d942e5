// Parses the target of an HTTP request: its path and its query.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surtitle {

// Decodes "%41" to "A". Returns nullopt if the encoding is invalid or has a NUL character.
std::optional<std::string> percent_decode(std::string_view text);

// Splits "/c/main?track=fr" into "/c/main" and "track=fr".
std::pair<std::string_view, std::string_view> split_target(std::string_view target);

// Returns the decoded names and values of a query such as "track=fr&lines=2", in order. Parts with
// an invalid encoding or without a name are left out.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace surtitle
