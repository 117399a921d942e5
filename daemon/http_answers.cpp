#include "daemon/http_answers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "daemon/json_writer.h"
#include "daemon/protocol.h"
#include "daemon/static_files.h"

namespace surtitle {
namespace {

constexpr std::string_view kChannelPages = "/c/";

HttpResponse make(http::status status, std::string_view type, std::string content) {
  HttpResponse response(status, 11);
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-cache");
  response.set("X-Content-Type-Options", "nosniff");
  response.body() = std::move(content);
  return response;
}

HttpResponse models(const Hub& hub) {
  const std::string json = json_array(hub.models(), [](const ModelInfo& model) {
    return JsonWriter()
        .field("name", model.name)
        .field("source", model.source_language)
        .field("target", model.target_language)
        .raw_field("policies", json_array(model.trained_policies, json_string))
        .field("default_policy", model.default_policy)
        .take();
  });
  return make(http::status::ok, "application/json", json + "\n");
}

// A page goes by its name without ".html".
HttpResponse file(std::string_view path, const StaticFiles& files) {
  std::optional<StaticFile> found = files.find(path);
  if (!found) {
    found = files.find(std::string(path).append(".html"));
  }
  if (!found) {
    return text_answer(http::status::not_found, "There is nothing under this name.\n");
  }
  HttpResponse response = make(http::status::ok, found->content_type, std::move(found->content));
  response.set("Content-Security-Policy",
               "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'");
  response.set("Referrer-Policy", "no-referrer");
  return response;
}

// The page of the channel that the query names, else of main. The query stays; the address is
// relative, for a proxy may have put a folder before ours.
HttpResponse to_channel(std::string_view query) {
  constexpr std::string_view kName = "channel=";
  std::string_view channel = "main";
  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view field = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    if (field.starts_with(kName)) {
      channel = field.substr(kName.size());
    }
  }
  HttpResponse response = text_answer(http::status::found, "The subtitles are at /c/NAME.\n");
  std::string location("c/");
  location.append(channel);
  if (!query.empty()) {
    location.append("?").append(query);
  }
  response.set(http::field::location, location);
  return response;
}

HttpResponse channel_page(std::string_view channel, const StaticFiles& files) {
  const std::optional<std::string> name = percent_decode(channel);
  if (!name || !protocol::is_channel_name(*name)) {
    return text_answer(http::status::not_found,
                       "A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -\n");
  }
  return file("/viewer", files);
}

}  // namespace

HttpResponse text_answer(http::status status, std::string_view text) {
  return make(status, "text/plain; charset=utf-8", std::string(text));
}

HttpResponse answer(const HttpRequest& request, const HttpContext& context) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    HttpResponse response =
        text_answer(http::status::method_not_allowed, "Only GET and HEAD are answered here.\n");
    response.set(http::field::allow, "GET, HEAD");
    return response;
  }
  const std::string_view target(request.target().data(), request.target().size());
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/") {
    return to_channel(target.substr(std::min(path.size() + 1, target.size())));
  }
  if (path.starts_with(kChannelPages)) {
    return channel_page(path.substr(kChannelPages.size()), context.files);
  }
  if (path == "/healthz") {
    return text_answer(http::status::ok, "ok\n");
  }
  if (path == "/readyz") {
    return context.hub.draining() ? text_answer(http::status::service_unavailable, "draining\n")
                                  : text_answer(http::status::ok, "ready\n");
  }
  if (path == "/metrics") {
    return make(http::status::ok, "text/plain; version=0.0.4; charset=utf-8",
                context.hub.metrics().exposition());
  }
  if (path == "/v1/models") {
    return models(context.hub);
  }
  if (path == "/v1/stream" || path.starts_with("/v1/channels/")) {
    HttpResponse response =
        text_answer(http::status::upgrade_required, "This address speaks WebSocket.\n");
    response.set(http::field::upgrade, "websocket");
    return response;
  }
  return file(path, context.files);
}

bool origin_allowed(const HttpRequest& request, const HttpContext& context) {
  const auto given = request.find(http::field::origin);
  if (given == request.end()) {
    return true;
  }
  const std::string_view origin(given->value().data(), given->value().size());
  const auto host_field = request[http::field::host];
  const std::string_view host(host_field.data(), host_field.size());
  const std::size_t scheme = origin.find("://");
  if (scheme != std::string_view::npos && origin.substr(scheme + 3) == host) {
    return true;
  }
  return std::any_of(
      context.origins.begin(), context.origins.end(),
      [&](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

}  // namespace surtitle
