// Where a daemon is: ws://HOST[:PORT][/PATH], or wss:// under TLS.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

struct Url {
  std::string text;   // as given but for a token, for messages
  std::string host;   // "127.0.0.1", "::1", "subtitles.example.org"
  std::string port;   // "80" where none is given, "443" under TLS
  std::string path;   // before the protocol's own paths, without a slash at its end; mostly empty
  std::string query;  // with its question mark; mostly empty
  bool tls = false;
  std::string token = {};        // that a daemon asks for; mostly empty
  std::string authorities = {};  // file of whom to trust under TLS; empty: whom the system trusts

  // For the Host field: the host, in brackets where it is an IPv6 address, and the port.
  std::string authority() const;
};

// http:// is taken for ws://, https:// for wss://, so that the address of the subtitle page serves
// too, and its token. Throws
// std::invalid_argument: one sentence with what is wrong and what is allowed.
Url parse_url(std::string_view text);

}  // namespace surtitle
