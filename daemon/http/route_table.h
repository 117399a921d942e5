// The routes of the daemon. The order matters: the first row that matches path and method answers.
//
// Authorisation, the errors 404 and 405, and the check of docs/protocol.md read this table.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/http/route.h"

namespace surtitle {

std::span<const Route> routes();

struct RouteMatch {
  const Route* path_route = nullptr;  // the first row with this path; its access is for all methods
  const Route* route = nullptr;       // the row that answers; nullptr: the method is not allowed
  unsigned methods = kNoMethod;       // of all rows with this path; kNoMethod: the path is unknown
  std::vector<std::string_view> parameters = {};  // refer to the path
};

// Returns the rows of a path. All paths match: the last row stands for the files. `upgrade`: the
// request asks for a WebSocket.
RouteMatch find_route(std::string_view path, http::verb method, bool upgrade = false);

// Returns "GET, HEAD, POST".
std::string method_names(unsigned methods);

// Answers a request by its route, or with an error if there is none.
asio::awaitable<HttpResponse> answer(const RouteMatch& match, const RoutedRequest& request);

}  // namespace surtitle
