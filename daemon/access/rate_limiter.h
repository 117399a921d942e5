// Limits of addresses and tokens, and whose address a connection has: its own, or behind a proxy
// that is trusted, the one that the proxy tells in X-Forwarded-For.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/access/client_quota.h"
#include "daemon/access/ip_address.h"

namespace surtitle {

struct ClientLimitOptions {
  QuotaLimits address;
  QuotaLimits token;
  std::vector<IpNetwork> exempt;   // addresses without limits
  std::vector<IpNetwork> proxies;  // that are believed
};

class ClientLimits {
 public:
  explicit ClientLimits(const ClientLimitOptions& options)
      : options_(options),
        addresses_("address", options.address),
        tokens_("token", options.token) {}

  bool is_proxy(const IpAddress& address) const { return any_contains(options_.proxies, address); }

  // The last address of X-Forwarded-For that is no proxy's; the proxy's own where it tells none
  // that can be read.
  IpAddress behind(const IpAddress& proxy, std::string_view forwarded_for) const;

  // nullptr: without limits.
  std::shared_ptr<ClientQuota> of_address(const IpAddress& address, TimePoint now);
  std::shared_ptr<ClientQuota> of_token(const std::string& name, TimePoint now) {
    return tokens_.of(name, now);
  }

 private:
  const ClientLimitOptions options_;
  ClientQuotas addresses_;
  ClientQuotas tokens_;
};

}  // namespace surtitle
