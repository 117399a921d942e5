// The host names that the daemon accepts in the field Host of a request.
//
// The list protects against DNS rebinding. An attacker makes the name of their page resolve to this
// machine, and a browser then treats the daemon as the page's origin. The requests still have the
// attacker's name in the field Host, and are rejected. IP addresses cannot be rebound and are
// always accepted.
//
// Thread-safety: immutable after construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class HostAllowlist {
 public:
  // `names`: accepted names beside localhost, such as "subtitles.example.org", "*.example.org", or
  // "*" for all.
  explicit HostAllowlist(std::vector<std::string> names) : names_(std::move(names)) {}

  // `host`: the field's value, with or without a port.
  bool allow(std::string_view host) const;

  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  const std::vector<std::string> names_;
};

}  // namespace surtitle
