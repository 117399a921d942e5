#include "daemon/access/access_control.h"

#include <utility>

#include "daemon/base/log.h"
#include "daemon/base/private_file.h"
#include "daemon/base/text.h"

namespace surtitle {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;

}  // namespace

AccessControl::AccessControl(AccessFiles files) : files_(std::move(files)) { reload(); }

void AccessControl::reload() {
  TokenFile tokens;
  LinkKeys keys;
  if (!files_.tokens.empty()) {
    tokens = TokenFile::read(files_.tokens);
  }
  if (!files_.key.empty()) {
    keys = LinkKeys::read(files_.key);
    warn_if_others_may_read(
        files_.key, "Link key file is readable by all users of this machine; run chmod 640 on it");
  }
  tokens_ = std::move(tokens);
  keys_ = std::move(keys);
  if (auth_enabled()) {
    log(LogLevel::kInfo, "Access files loaded",
        {{"tokens", static_cast<std::int64_t>(tokens_.size())},
         {"link_keys", static_cast<std::int64_t>(keys_.size())}});
  }
}

Result<Grant> AccessControl::identify(std::optional<std::string_view> token,
                                      CalendarSeconds now) const {
  if (!auth_enabled()) {
    return unrestricted_grant();
  }
  if (!token) {
    return RequestError{kUnauthorized,
                        "This daemon requires a token: in the URL as ?token=..., or in the header "
                        "Authorization: Bearer."};
  }
  std::optional<Grant> grant = tokens_.find(*token);
  if (!grant) {
    grant = keys_.find(*token);
  }
  if (!grant) {
    return RequestError{kUnauthorized,
                        "The token is not valid for this daemon; ask for a new one."};
  }
  if (grant->expires && *grant->expires <= now) {
    return RequestError{kUnauthorized, "The token " + in_quotes(grant->name) + " expired at " +
                                           to_text(*grant->expires) + "; ask for a new one."};
  }
  return *std::move(grant);
}

std::optional<std::string> AccessControl::sign(const ChannelLink& link) const {
  return keys_.size() > 0 ? std::optional(keys_.sign(link)) : std::nullopt;
}

Result<void> check_access(const AccessRequirement& requirement, const Grant& grant) {
  if (requirement.what != AccessRequirement::What::kRole) {
    return {};
  }
  const std::string token = "The token " + in_quotes(grant.name);
  if (!grant.roles.has(requirement.role)) {
    return RequestError{kForbidden, token + " lacks the required role " +
                                        std::string(name(requirement.role)) + "; it has " +
                                        grant.roles.text() + "."};
  }
  if (requirement.channel && !grant.may_use(*requirement.channel)) {
    return RequestError{kForbidden, token + " is not valid for the channel " +
                                        in_quotes(*requirement.channel) + "; it is valid for " +
                                        grant.channels + "."};
  }
  if (requirement.any_channel && !grant.every_channel()) {
    return RequestError{kForbidden, token + " must be valid for all channels; it is valid for " +
                                        grant.channels + "."};
  }
  return {};
}

}  // namespace surtitle
