// What the daemon answers to plain HTTP requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/http_session.h"
#include "daemon/net/beast.h"

namespace surtitle {

using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

// /livez (by its other name /healthz), /readyz, /metrics, /v1/models, /v1/policies, /languages,
// transcripts, a channel's page at /c/NAME, and the files of the web folder, its pages with and
// without ".html". / leads to a channel's page.
HttpResponse answer(const HttpRequest& request, const HttpContext& context);

// The channel whose transcript stands at this path; nothing where there is none.
std::optional<std::string> transcript_channel(std::string_view path);

// A short text with a status.
HttpResponse text_response(http::status status, std::string_view text);
HttpResponse json_answer(http::status status, std::string_view json);
// Why a stream of the daemon's own came to nothing, as a status.
http::status http_status(protocol::ErrorCode code);
// Says when to come back, where the error passes by itself.
void set_retry(HttpResponse& response, const protocol::Error& error);
// To a request that is turned away, in the form of its address.
HttpResponse error_response(const HttpRequest& request, const Refusal& refusal);

// Whether the request comes from the daemon's own page, or from a program (which sends no Origin).
bool from_own_page(const HttpRequest& request, const HttpContext& context);
// Whether the page that the request comes from may open a WebSocket: the daemon's own page, a
// program (which sends no Origin), or one of the origins allowed.
bool origin_allowed(const HttpRequest& request, const HttpContext& context);

}  // namespace surtitle
