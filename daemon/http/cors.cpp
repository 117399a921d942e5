#include "daemon/http/cors.h"

#include "daemon/base/url_parts.h"
#include "daemon/http/access_rules.h"

namespace surtitle {
namespace {

// Returns whether the request is from a page of one of allowed_origins, to a path for such
// pages.
bool is_allowed(const HttpRequest& request, const HttpContext& context) {
  const std::string_view target(request.target().data(), request.target().size());
  const std::string_view path = split_target(target).first;
  return !path.starts_with("/v1/admin/") && path != "/metrics" &&
         request.count(http::field::origin) > 0 && origin_allowed(request, context);
}

}  // namespace

bool is_preflight(const HttpRequest& request, const HttpContext& context) {
  return request.method() == http::verb::options &&
         request.count(http::field::access_control_request_method) > 0 &&
         is_allowed(request, context);
}

HttpResponse preflight_response() {
  HttpResponse response(http::status::no_content, 11);
  response.set(http::field::access_control_allow_methods, "GET, HEAD, POST");
  response.set(http::field::access_control_allow_headers, "Authorization, Content-Type");
  response.set(http::field::access_control_max_age, "600");
  return response;
}

void allow_origin(const HttpRequest& request, const HttpContext& context, HttpResponse& response) {
  if (context.origins.empty()) {
    return;
  }
  response.insert(http::field::vary, "Origin");
  if (is_allowed(request, context)) {
    response.set(http::field::access_control_allow_origin, request[http::field::origin]);
    response.set(http::field::access_control_expose_headers, "Retry-After");
  }
}

}  // namespace surtitle
