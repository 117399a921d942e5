// The parts of the daemon that answer requests over HTTP.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/access/client_limits.h"
#include "daemon/access/host_allowlist.h"
#include "daemon/http/branding.h"
#include "daemon/http/static_files.h"
#include "daemon/net/tls.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

class AdminApi;
class AlignattSession;
class SimulEvalAgent;

// All parts outlive the connections.
struct HttpContext {
  ServerContext& server;
  StreamRegistry& streams;
  const StaticFiles& files;
  const Branding& branding;
  SimulEvalAgent& simuleval;
  const ServerTls& tls;
  const AccessControl& access;
  ClientLimits& limits;
  bool open_metrics = false;  // /metrics needs no token
  HostAllowlist hosts;
  std::vector<std::string> origins;  // their pages may connect, besides the daemon's own; "*": all
  // Time for a request to arrive, and again for the peer to read the response.
  Clock::duration request_time = std::chrono::seconds(30);
  AdminApi* admin_api = nullptr;  // nullptr: no paths below /v1/admin/
  // The open sessions of the protocol alignatt, at /v1/alignatt and /.
  std::shared_ptr<std::set<AlignattSession*>> alignatt =
      std::make_shared<std::set<AlignattSession*>>();
  // Returns the daemon's URLs that other machines can reach, "http://192.0.2.7:8765/".
  std::function<std::vector<std::string>()> addresses = [] { return std::vector<std::string>(); };
  // Origins of recognisers to which the console may send speech, besides those of the loopback.
  std::vector<std::string> recognisers = {};
};

}  // namespace surtitle
