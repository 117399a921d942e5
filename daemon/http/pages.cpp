#include "daemon/http/pages.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/url_parts.h"
#include "daemon/http/access_rules.h"
#include "daemon/http/branding.h"
#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

// Restricts a page to resources of the daemon: no inline scripts or styles, no other host. Pages of
// the daemon and of the allowed origins may embed it in a frame. `may_send_speech`: the page may
// also connect to recognisers on the machine of its user, and to those of the configuration.
void set_page_policy(HttpResponse& response, const HttpContext& context, bool may_send_speech) {
  std::string framers = "'self'";
  for (const std::string& origin : context.origins) {
    framers.append(" ").append(origin == "null" ? "file:" : origin);
  }
  std::string servers = "'self'";
  if (may_send_speech) {
    servers += " ws://127.0.0.1:* wss://127.0.0.1:* ws://localhost:* wss://localhost:*";
    for (const std::string& recogniser : context.recognisers) {
      servers.append(" ").append(recogniser);
    }
  }
  response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
               "font-src 'self'; connect-src " +
                   servers +
                   "; media-src 'self'; worker-src 'self'; "
                   "base-uri 'none'; form-action 'none'; frame-ancestors " +
                   framers);
  if (context.origins.empty()) {  // the same for old browsers, which support no list
    response.set("X-Frame-Options", "SAMEORIGIN");
  }
  response.set("Permissions-Policy",
               "camera=(), display-capture=(), geolocation=(), payment=(), usb=(), "
               "microphone=(self), screen-wake-lock=(self)");
}

// Makes links that begin with '/' relative to the path of the request, because a proxy may serve
// the daemon below a folder.
std::string with_relative_links(std::string_view html, std::string_view path) {
  std::string home = "=\"./";
  for (auto depth = std::count(path.begin(), path.end(), '/'); depth > 1; --depth) {
    home.append("../");
  }
  constexpr std::string_view kRoot = "=\"/";
  std::string result;
  std::size_t at = 0;
  while ((at = html.find(kRoot)) != std::string_view::npos) {
    result.append(html.substr(0, at)).append(home);
    html.remove_prefix(at + kRoot.size());
  }
  return result.append(html);
}

// Answers a request for a missing path: a browser with a page, a program with one sentence.
Result<HttpResponse> missing(const RoutedRequest& request, std::string_view reason) {
  const auto accept = request.request[http::field::accept];
  const bool is_browser = std::string_view(accept).find("text/html") != std::string_view::npos;
  const std::optional<StaticFile> page =
      is_browser ? request.context.files.find("/missing.html") : std::nullopt;
  if (!page) {
    return RequestError(404, std::string(reason));
  }
  HttpResponse response = make_response(http::status::not_found, page->content_type,
                                        with_relative_links(page->content, request.path));
  set_page_policy(response, request.context, /*may_send_speech=*/false);
  return response;
}

Result<HttpResponse> file(std::string_view path, const RoutedRequest& request) {
  const HttpContext& context = request.context;
  std::optional<StaticFile> found = context.files.find(path);
  if (!found) {
    found = context.files.find(std::string(path).append(".html"));
  }
  if (!found) {
    return missing(request, "No file has this name.");
  }
  HttpResponse response =
      make_response(http::status::ok, found->content_type, std::move(found->content));
  set_page_policy(response, context, path == "/console" || path == "/console.html");
  return response;
}

}  // namespace

Result<HttpResponse> answer_file(const RoutedRequest& request) {
  return file(request.path, request);
}

Result<HttpResponse> answer_channel_page(const RoutedRequest& request) {
  if (!channel_parameter(request.parameters)) {
    return missing(
        request, "A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..");
  }
  return file("/viewer", request);
}

// The URL is relative, because a proxy may serve the daemon below a folder.
Result<HttpResponse> answer_start_page(const RoutedRequest& request) {
  std::string channel = "main";
  bool has_options = false;
  for (const auto& [name, value] : parse_query(request.query)) {
    has_options = has_options || (name != "token" && name != "ui");
    if (name == "channel" && protocol::is_channel_name(value)) {
      channel = value;
    }
  }
  if (!has_options) {
    return file("/channels", request);
  }
  HttpResponse response = text_response(http::status::found, "The subtitles are at /c/NAME.\n");
  std::string location("c/");
  location.append(channel);
  location.append("?").append(request.query);
  response.set(http::field::location, location);
  return response;
}

Result<HttpResponse> answer_branding(const RoutedRequest& request) {
  return make_response(http::status::ok, "text/css; charset=utf-8",
                       request.context.branding.style());
}

// An SVG that is opened by itself is a document, and must not run scripts.
Result<HttpResponse> answer_logo(const RoutedRequest& request) {
  const std::optional<Branding::Logo>& logo = request.context.branding.logo();
  if (!logo) {
    return RequestError(404, "This daemon has no logo; set pages.logo.");
  }
  HttpResponse response = make_response(http::status::ok, logo->content_type, logo->content);
  response.set("Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox");
  return response;
}

}  // namespace surtitle
