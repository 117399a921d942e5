// Who may do what: tokens and links held against the files that the configuration names.
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

// Why somebody is not let in.
struct Refusal {
  int status = 0;        // of HTTP: 400, 401, 403, 421, 429, 503
  std::string sentence;  // without a secret in it
  int retry_after = 0;   // seconds; 0: not told
};

// What an address asks of who comes to it.
struct Need {
  enum class What { kNothing, kAnyRole, kRole };
  What what = What::kNothing;
  Role role = Role::kAdmin;                           // of kRole
  std::optional<std::string> channel = std::nullopt;  // where there is one
  bool any_channel = false;                           // kRole counts for no channel in particular
};

class AccessControl {
 public:
  // Throws std::runtime_error, one line, where a file is broken.
  explicit AccessControl(AccessFiles files);

  // Reads the files anew. Throws likewise; then what was read before stays.
  void reload();

  // Whether a token is asked for at all.
  bool guarded() const noexcept { return !files_.tokens.empty() || !files_.key.empty(); }

  // Who shows this token, or why that is nobody. Where nothing is guarded, everybody may all.
  std::variant<Grant, Refusal> identify(std::optional<std::string_view> token, WallTime now) const;

 private:
  const AccessFiles files_;
  TokenFile tokens_;
  LinkKeys keys_;
};

// Why a need is not met; nothing where it is.
std::optional<Refusal> unmet(const Need& need, const Grant& grant);

}  // namespace surtitle
