// Cross-origin requests (CORS): lets pages of the allowed origins read the responses.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/http_context.h"
#include "daemon/http/http_response.h"

namespace surtitle {

// Returns true for a preflight request: a browser asks whether a page of an allowed origin may send
// a request. A preflight request has no token.
bool is_preflight(const HttpRequest& request, const HttpContext& context);

HttpResponse preflight_response();

// Allows the origin of the request to read the response, if it is one of allowed_origins. The paths
// of operators (/metrics, /v1/admin/) are only for the daemon's own pages.
void allow_origin(const HttpRequest& request, const HttpContext& context, HttpResponse& response);

}  // namespace surtitle
