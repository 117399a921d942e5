// Quotas of all addresses and tokens, and the client's address behind trusted proxies.
//
// A trusted proxy reports the client's address in X-Forwarded-For. The field is ignored for
// connections from other addresses.
//
// Thread-safety: none; the network thread owns it.
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
  std::vector<IpNetwork> proxies;  // trusted proxies
};

class ClientLimits {
 public:
  explicit ClientLimits(const ClientLimitOptions& options)
      : options_(options),
        addresses_("address", options.address),
        tokens_("token", options.token) {}

  bool is_proxy(const IpAddress& address) const { return any_contains(options_.proxies, address); }

  // Returns the last address of X-Forwarded-For that is not a trusted proxy. The list is read from
  // its end. If it ends or has an invalid entry before such an address, returns the last proxy that
  // was read, which is `proxy` at first.
  IpAddress client_behind(const IpAddress& proxy, std::string_view forwarded_for) const;

  // Returns the address's quota, or nullptr if the address is exempt.
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
