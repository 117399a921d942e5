// The URL of a daemon: ws://HOST[:PORT][/PATH], or wss:// with TLS.
#pragma once

#include <string>
#include <string_view>

namespace surtitle {

struct WebSocketUrl {
  std::string text;  // as given, without a token; for messages
  std::string host;  // "127.0.0.1", "::1", "subtitles.example.org"
  std::string port;  // default: "80", or "443" with TLS
  std::string path;  // prefix of the protocol's own paths, without a slash at its end; may be empty
  std::string query;  // with its question mark; may be empty
  bool tls = false;
  std::string token = {};    // the access token; empty: none
  std::string ca_file = {};  // PEM file of trusted certificates; empty: the system's

  // Returns host and port for the Host field. An IPv6 address is in brackets.
  std::string authority() const;
};

// Parses a URL. http:// counts as ws:// and https:// as wss://, so the URL of a subtitle page can
// be used as it is, with its token. Throws std::invalid_argument: one sentence with what is wrong
// and what is allowed. Thread-safety: may be called from any thread.
WebSocketUrl parse_websocket_url(std::string_view text);

}  // namespace surtitle
