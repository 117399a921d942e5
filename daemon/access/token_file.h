// The tokens that a daemon knows, from a file that holds none of them:
//
//   # name  roles      what proves the token                   and maybe
//   stage   send,view  hmac-sha256:SALT:DIGEST  channels=hall-*,main  expires=2026-12-31T23:59:59Z
//
// A token is "st.NAME.SECRET", SECRET 256 random bits. The digest is HMAC-SHA-256 of the whole
// token under the line's own salt. A slow hash, as for passwords, would add nothing: nobody goes
// through 2^256 secrets, and each connection would cost the daemon milliseconds.
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
  // Throws std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
  static TokenFile read(const std::filesystem::path& file);

  // What the token grants, expired or not; nothing where it is not known.
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

// A token that did not exist before, and the line that makes a daemon know it.
struct NewToken {
  std::string token;
  std::string line;
};
// REQUIRES: is_token_name(grant.name), is_channel_pattern(grant.channels).
NewToken make_token(const Grant& grant);

// 1 to 64 characters of A-Z a-z 0-9 _ -
bool is_token_name(std::string_view name);

}  // namespace surtitle
