// The access tokens that a daemon accepts, read from a file with their salted digests:
//
//   # name  roles      digest                   optional
//   stage   send,view  hmac-sha256:SALT:DIGEST  channels=hall-*,main  expires=2026-12-31T23:59:59Z
//
// A token is "st.NAME.SECRET" with 256 random bits as SECRET. DIGEST is the HMAC-SHA-256 of the
// whole token under SALT. The file does not contain the tokens themselves. A slow hash, as for
// passwords, is not needed: 2^256 secrets cannot be searched, and it would cost milliseconds per
// connection.
//
// Thread-safety: immutable after construction.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/access/grant.h"

namespace surtitle {

class TokenFile {
 public:
  TokenFile() = default;
  // Reads a file. Throws std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
  static TokenFile read(const std::filesystem::path& file);

  // Returns the token's grant, even if it has expired, or nullopt if the token is unknown.
  std::optional<Grant> find(std::string_view token) const;

  bool has(std::string_view name) const { return tokens_.contains(name); }
  std::size_t size() const noexcept { return tokens_.size(); }

 private:
  struct Token {
    Grant grant;
    std::string salt;
    std::string digest;
  };
  Token read_line(const std::string& line) const;

  std::map<std::string, Token, std::less<>> tokens_;
};

// A new token, and its line for the file.
struct NewToken {
  std::string token;
  std::string line;
};
// Makes a token with a random secret. Throws std::runtime_error if the system provides no random
// bytes. REQUIRES: is_token_name(grant.name), is_channel_pattern(grant.channels).
NewToken make_token(const Grant& grant);

// Whether the name has 1 to 64 characters of A-Z a-z 0-9 _ -
bool is_token_name(std::string_view name);

}  // namespace surtitle
