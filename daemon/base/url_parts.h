// Parses URLs and the targets of HTTP requests.
//
// Boost.URL would not do: it accepts no password with a reserved character, and rejects a query as
// a whole if one of its parts is invalid.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <boost/system/result.hpp>
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

// The parts of [LOGIN@]HOST[:PORT][/PATH][?QUERY], a URL without its scheme.
struct UrlParts {
  std::optional<std::string_view> login;  // up to the last '@'
  std::string_view host;                  // an IPv6 address without its brackets
  std::optional<int> port;                // from 1 to 65535
  std::string_view path;                  // with its slash
  std::string_view query;                 // with its question mark
};

// Splits a URL after its scheme. If host or port are invalid, returns the error as the end of a
// sentence: "has ...".
boost::system::result<UrlParts, std::string> split_url(std::string_view text);

// Returns "HOST:PORT", with an IPv6 address in brackets.
std::string authority(const std::string& host, const std::string& port);

}  // namespace surtitle
