// The API for administration, below /v1/admin/.
//
//   GET   /v1/admin/streams?limit=N  the running streams, those with the longest delays first
//   GET   /v1/admin/settings         the present values of the settings that can be changed
//   PATCH /v1/admin/settings         changes all settings that are given, or none on an error
//   POST  /v1/admin/drain            as SIGTERM: running sentences finish, then the daemon ends
//
// Each requires the role admin. Without authentication, only the loopback may use them. Changes
// last until the daemon ends, and are logged with the name of the client's grant.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config/daemon_config.h"
#include "daemon/http/route.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

class AdminApi {
 public:
  // `drain`: starts the same shutdown as SIGTERM.
  AdminApi(StreamRegistry& streams, DaemonConfig config, std::function<void()> drain)
      : streams_(streams), config_(std::move(config)), drain_(std::move(drain)) {}

  Result<HttpResponse> streams(const RoutedRequest& request);
  Result<HttpResponse> settings(const RoutedRequest& request);
  Result<HttpResponse> change_settings(const RoutedRequest& request);
  Result<HttpResponse> drain(const RoutedRequest& request);

 private:
  std::string settings_json() const;
  std::string streams_json(std::size_t limit) const;
  // Returns the changes. On an error, changes no setting.
  Result<std::vector<std::string>> change(const std::string& body);

  StreamRegistry& streams_;
  DaemonConfig config_;
  const std::function<void()> drain_;
};

}  // namespace surtitle
