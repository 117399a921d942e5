// What whoever runs the daemon may see and change of it while it runs: /v1/admin/...
//
//   GET   /v1/admin/streams?limit=N  the streams that run, those whose words are latest first
//   GET   /v1/admin/settings         what can be changed, as it is now
//   PATCH /v1/admin/settings         changes some of it: all that is named, or nothing
//   POST  /v1/admin/drain            as SIGTERM: running sentences finish, then the daemon ends
//
// Each asks for the role admin; where no token is asked for at all, it is for this machine alone.
// Changes hold until the daemon ends and are logged with the name of who made them.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/config/daemon_config.h"
#include "daemon/net/beast.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class AdminApi {
 public:
  // `drain` begins what SIGTERM begins.
  AdminApi(Hub& hub, DaemonConfig config, std::function<void()> drain)
      : hub_(hub), config_(std::move(config)), drain_(std::move(drain)) {}

  using Request = http::request<http::string_body>;
  using Response = http::response<http::string_body>;
  // Returns nullopt if the address is not below /v1/admin/. `who`: the name of the client's grant.
  std::optional<Response> answer(const Request& request, const std::string& who);

 private:
  Response settings(const Request& request, const std::string& who);
  Response drain(const std::string& who);
  std::string settings_json() const;
  std::string streams_json(std::size_t limit) const;
  // Says what is wrong, and changes nothing, or what has changed.
  std::variant<std::string, std::vector<std::string>> change(const std::string& body);

  Hub& hub_;
  DaemonConfig config_;
  const std::function<void()> drain_;
};

}  // namespace surtitle
