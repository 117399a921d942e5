// Links that let somebody watch, or send to, one channel for some time. They are signed, so the
// daemon keeps no list of them:
//
//   sl.ROLE.EXPIRES.CHANNEL.SIGNATURE
//
// EXPIRES is in Unix seconds, SIGNATURE HMAC-SHA-256 of what stands before it, under a key that the
// daemon and whoever makes links have. A new first key takes over from the old one, which stays in
// the file for as long as its links shall be good.
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
  // A key a line, as make_link_key() writes them; # begins a comment. Throws std::runtime_error:
  // "FILE:LINE: what is wrong".
  static LinkKeys read(const std::filesystem::path& file);

  // With the first key. REQUIRES: there is one.
  std::string sign(const ChannelLink& link) const;
  // What the link grants, expired or not; nothing where no key has signed it.
  std::optional<Grant> find(std::string_view token) const;

  std::size_t size() const noexcept { return keys_.size(); }

 private:
  std::vector<std::string> keys_;
};

std::string make_link_key();

}  // namespace surtitle
