// Access control: checks tokens and links against the files that the configuration names.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/access/grant.h"
#include "daemon/access/signed_link.h"
#include "daemon/access/token_file.h"

namespace surtitle {

struct AccessFiles {
  std::string tokens;  // empty: none
  std::string key;     // of links; likewise
};

// Why a connection or a request is refused.
struct Refusal {
  int status = 0;        // of HTTP: 400, 401, 403, 421, 429, 503
  std::string sentence;  // without a secret in it
  int retry_after = 0;   // seconds; 0: not sent
};

// The role and the channel that an address of the daemon requires.
struct AccessRequirement {
  enum class What { kNothing, kAnyRole, kRole };
  What what = What::kNothing;
  Role role = Role::kAdmin;                           // of kRole
  std::optional<std::string> channel = std::nullopt;  // if the address has one
  bool any_channel = false;                           // kRole is required for all channels
};

class AccessControl {
 public:
  // Throws std::runtime_error, one line, if a file is invalid.
  explicit AccessControl(AccessFiles files);

  // Reads the files again. Throws as the constructor does, and then keeps what was read before.
  void reload();

  // Whether any file enables authentication.
  bool auth_enabled() const noexcept { return !files_.tokens.empty() || !files_.key.empty(); }

  // Returns the grant of this token, or a refusal. Without authentication, the grant is
  // unrestricted.
  std::variant<Grant, Refusal> identify(std::optional<std::string_view> token,
                                        CalendarSeconds now) const;

 private:
  const AccessFiles files_;
  TokenFile tokens_;
  LinkKeys keys_;
};

// Returns a refusal if the grant does not meet the requirement.
std::optional<Refusal> check_access(const AccessRequirement& requirement, const Grant& grant);

}  // namespace surtitle
