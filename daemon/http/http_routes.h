// The responses to plain HTTP requests.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/http_context.h"
#include "daemon/http/http_response.h"

namespace surtitle {

// Answers /livez and its alias /healthz, /readyz, /metrics, /v1/models, /v1/policies, /languages
// and transcripts. Other addresses are a channel's page at /c/NAME and the files of the web folder,
// whose pages are found with and without ".html". / redirects to a channel's page.
HttpResponse answer(const HttpRequest& request, const HttpContext& context);

// Returns the channel if this is the path of a channel's transcript, else nullopt.
std::optional<std::string> transcript_channel(std::string_view path);

// Returns true for requests from the daemon's own pages and from programs, which send no Origin.
bool from_own_page(const HttpRequest& request, const HttpContext& context);
// Returns true if the origin of the request may use streams and channels: from_own_page(), or one
// of the allowed origins.
bool origin_allowed(const HttpRequest& request, const HttpContext& context);

}  // namespace surtitle
