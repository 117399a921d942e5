// By which names the daemon may be asked for.
//
// A page of somebody else's whose name is made to lead to this machine (DNS rebinding) is, to its
// browser, a page of ours. Its requests still tell its name in the field Host, so names that are
// not ours are turned away. An IP address is never such a name.
//
// Thread-safety: immutable after construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class Hosts {
 public:
  // Names besides localhost: "subtitles.example.org", "*.example.org", or "*" for all.
  explicit Hosts(std::vector<std::string> names) : names_(std::move(names)) {}

  // `host`: the field's value, with a port or not.
  bool allow(std::string_view host) const;

 private:
  const std::vector<std::string> names_;
};

}  // namespace surtitle
