// Access control: checks tokens and links against the files that the configuration names.
//
// Thread-safety: none; the network thread owns it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/access/grant.h"
#include "daemon/access/link_keys.h"
#include "daemon/access/request_error.h"
#include "daemon/access/token_file.h"

namespace surtitle {

struct AccessFiles {
  std::string tokens;  // the token file; empty: none
  std::string key;     // the file of keys that sign links; empty: none
};

// The role and the channel that a route requires.
struct AccessRequirement {
  enum class What { kNothing, kAnyRole, kRole };
  What what = What::kNothing;
  Role role = Role::kAdmin;                           // for kRole
  std::optional<std::string> channel = std::nullopt;  // for kRole: the channel, if there is one
  bool any_channel = false;  // for kRole: the grant must be for all channels
};

class AccessControl {
 public:
  // Reads the files. Throws std::runtime_error, one line, if a file is invalid.
  explicit AccessControl(AccessFiles files);

  // Reads the files again. Throws as the constructor does, and keeps the previous contents then.
  void reload();

  // Whether any file enables authentication.
  bool auth_enabled() const noexcept { return !files_.tokens.empty() || !files_.key.empty(); }

  // Returns the grant of this token or link. Returns an error with status 401 if there is no token,
  // or if it is unknown or expired. If authentication is not enabled, the grant is unrestricted.
  Result<Grant> identify(std::optional<std::string_view> token, CalendarSeconds now) const;

  // Returns the token of a new link, or nullopt if there is no key to sign it.
  std::optional<std::string> sign(const ChannelLink& link) const;

 private:
  const AccessFiles files_;
  TokenFile tokens_;
  LinkKeys keys_;
};

// Returns an error with status 403 if the grant does not meet the requirement.
Result<void> check_access(const AccessRequirement& requirement, const Grant& grant);

}  // namespace surtitle
