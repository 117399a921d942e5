// Signed links: tokens that grant a role on one channel until a time.
//
//   sl.ROLE.EXPIRES.CHANNEL.SIGNATURE
//
// EXPIRES is in Unix seconds. SIGNATURE is the HMAC-SHA-256 of a fixed text and the three parts
// before it, under a secret key. As links are signed, the daemon keeps no list of them.
//
// The key file may have several keys. The first one signs, and all of them verify. To replace a
// key, put the new key first, and remove the old one when its links have expired.
//
// Thread-safety: immutable after construction.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/access/grant.h"

namespace surtitle {

struct ChannelLink {
  Role role = Role::kView;  // not admin
  std::string channel;
  CalendarSeconds expires;
};

class LinkKeys {
 public:
  LinkKeys() = default;
  // Reads a file with one key a line, in the form of make_link_key(). A line that begins with # is
  // a comment. Throws std::runtime_error: "FILE:LINE: what is wrong".
  static LinkKeys read(const std::filesystem::path& file);

  // Signs with the first key. REQUIRES: there is one.
  std::string sign(const ChannelLink& link) const;
  // Returns the link's grant, even if it has expired, or nullopt if no key verifies it.
  std::optional<Grant> find(std::string_view token) const;

  std::size_t size() const noexcept { return keys_.size(); }

 private:
  std::vector<std::string> keys_;
};

// Returns a new random key as base64url. Throws std::runtime_error if the system provides no random
// bytes.
std::string make_link_key();

}  // namespace surtitle
