#include "daemon/http/route_table.h"

#include <array>
#include <optional>
#include <utility>

#include "daemon/http/admin_api.h"
#include "daemon/http/channel_list.h"
#include "daemon/http/channel_sockets.h"
#include "daemon/http/health_api.h"
#include "daemon/http/libretranslate_api.h"
#include "daemon/http/model_catalog.h"
#include "daemon/http/pages.h"
#include "daemon/http/share_api.h"
#include "daemon/http/simuleval_api.h"
#include "daemon/http/transcript_api.h"

namespace surtitle {
namespace {

template <Result<HttpResponse> (AdminApi::*kMethod)(const RoutedRequest&)>
Result<HttpResponse> admin(const RoutedRequest& request) {
  AdminApi* const api = request.context.admin_api;
  return api == nullptr ? RequestError(404, "This daemon has no administration.")
                        : (api->*kMethod)(request);
}

template <asio::awaitable<Result<HttpResponse>> (SimulEvalAgent::*kMethod)(const RoutedRequest&)>
asio::awaitable<Result<HttpResponse>> simuleval(const RoutedRequest& request) {
  return (request.context.simuleval.*kMethod)(request);
}

constexpr ErrorFormat kJson = ErrorFormat::kJson;

constexpr bool kApiKey = true;
constexpr std::string_view kAnyFile = "*";

constexpr auto kRoutes = std::to_array<Route>({
    {kGet, "/livez", Access::kProbe, answer_livez},
    {kGet, "/healthz", Access::kProbe, answer_livez},
    {kGet, "/readyz", Access::kProbe, answer_readyz},
    {kGet, "/metrics", Access::kMetrics, answer_metrics},

    {kGet, "/v1/stream", Access::kStream, open_sender},
    {kGet, "/v1/alignatt", Access::kStream, open_alignatt},
    {kGet, "/v1/channels", Access::kAnyRole, answer_channels},
    {kGet, "/v1/channels/{NAME}", Access::kView, open_viewer},
    {kGet, "/v1/channels/{NAME}/transcript.{FORMAT}", Access::kView, answer_transcript},
    {kGet, "/v1/channels/{NAME}/transcripts", Access::kView, answer_transcripts},
    {kGet, "/v1/channels/{NAME}/transcripts/{STREAM}.{FORMAT}", Access::kView,
     answer_stream_transcript},
    {kPost, "/v1/channels/{NAME}/links", Access::kAnyRole, make_channel_link, kJson},
    {kGet, "/v1/models", Access::kAnyRole, answer_models},
    {kGet, "/v1/policies", Access::kAnyRole, answer_policies},
    {kGet, "/v1/qr.svg", Access::kAnyRole, answer_qr_code},
    {kGet, "/v1/admin/addresses", Access::kAdmin, answer_addresses, kJson},
    {kGet, "/v1/admin/streams", Access::kAdmin, admin<&AdminApi::streams>, kJson},
    {kGet, "/v1/admin/settings", Access::kAdmin, admin<&AdminApi::settings>, kJson},
    {kPatch, "/v1/admin/settings", Access::kAdmin, admin<&AdminApi::change_settings>, kJson},
    {kPost, "/v1/admin/drain", Access::kAdmin, admin<&AdminApi::drain>, kJson},
    {kNoMethod, "/v1/admin/*", Access::kAdmin, Answer(nullptr), kJson},
    {kGet, "/v1/*", Access::kAnyRole, answer_file},

    {kGet, "/languages", Access::kAnyRole, answer_languages, kJson, kApiKey},
    {kPost, "/detect", Access::kAnyRole, answer_detect, kJson, kApiKey},
    {kPost, "/translate", Access::kNewStream, answer_translate, kJson, kApiKey},
    {kGet, "/frontend/settings", Access::kPage, answer_frontend_settings, kJson},
    {kGet, "/health", Access::kProbe, answer_health, kJson},
    {kPost, "/suggest", Access::kPage, refuse_suggestion, kJson},
    {kPost, "/translate_file", Access::kPage, refuse_file, kJson},
    {kPost, "/reset", Access::kNewStream, simuleval<&SimulEvalAgent::reset>},
    {kPut, "/input", Access::kSend, simuleval<&SimulEvalAgent::input>},
    {kGet, "/output", Access::kSend, simuleval<&SimulEvalAgent::output>},

    {kWebSocket, "/", Access::kStream, open_alignatt},
    {kGet, "/", Access::kPage, answer_start_page},
    {kGet, "/c/{NAME}", Access::kPage, answer_channel_page},
    {kGet, "/branding.css", Access::kPage, answer_branding},
    {kGet, "/logo", Access::kPage, answer_logo},
    {kGet, kAnyFile, Access::kPage, answer_file},
});

// Returns the parameters of a path, or nullopt if the pattern does not match it.
std::optional<std::vector<std::string_view>> match(std::string_view pattern,
                                                   std::string_view path) {
  std::vector<std::string_view> parameters;
  while (!pattern.empty() && pattern != "*") {
    if (pattern.front() == '{') {
      pattern.remove_prefix(pattern.find('}') + 1);
      const std::string ends = {'/', pattern.empty() ? '/' : pattern.front()};
      parameters.push_back(path.substr(0, path.find_first_of(ends)));
      path.remove_prefix(parameters.back().size());
    } else if (path.starts_with(pattern.front())) {
      pattern.remove_prefix(1);
      path.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return pattern == "*" || path.empty() ? std::optional(std::move(parameters)) : std::nullopt;
}

unsigned bit(http::verb method) {
  switch (method) {
    case http::verb::get:
    case http::verb::head:
      return kGet;
    case http::verb::post:
      return kPost;
    case http::verb::put:
      return kPut;
    case http::verb::patch:
      return kPatch;
    default:
      return kNoMethod;
  }
}

// Returns the error of an unknown path below "/v1/admin/*". It names the paths that are known.
RequestError unknown_path(std::string_view area) {
  area.remove_suffix(1);
  std::string known;
  std::string_view last;
  for (const Route& route : kRoutes) {
    if (route.methods != kNoMethod && route.pattern.starts_with(area) && route.pattern != last) {
      last = route.pattern;
      known.append(known.empty() ? "" : ", ").append(last);
    }
  }
  return {404, "Unknown path; allowed: " + known + "."};
}

// The error of a method other than GET is JSON, because programs use these methods.
HttpResponse answer_without_route(const RouteMatch& match, http::verb method) {
  const bool reads = (bit(method) & kGet) != 0;
  const ErrorFormat format = reads ? match.path_route->errors : kJson;
  if (match.methods == kNoMethod) {
    return error_response(unknown_path(match.path_route->pattern), format);
  }
  const std::string allowed = method_names(match.methods);
  HttpResponse response =
      error_response({405, "Method not allowed; allowed: " + allowed + "."}, format);
  response.set(http::field::allow, allowed);
  return response;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

RouteMatch find_route(std::string_view path, http::verb method, bool upgrade) {
  RouteMatch found;
  for (const Route& route : kRoutes) {
    auto parameters = match(route.pattern, path);
    const bool is_known = found.path_route != nullptr && route.pattern == kAnyFile;
    if (!parameters || is_known || (route.methods == kWebSocket && !upgrade)) {
      continue;
    }
    const bool answers = (route.methods & (bit(method) | kWebSocket)) != 0;
    found.methods |= route.methods;
    if (answers || found.path_route == nullptr) {
      found.parameters = *std::move(parameters);
    }
    found.path_route = found.path_route == nullptr ? &route : found.path_route;
    found.route = answers ? &route : nullptr;
    if (answers || route.pattern.ends_with('*')) {
      break;
    }
  }
  return found;
}

std::string method_names(unsigned methods) {
  std::string names;
  for (const auto& [method, name] :
       {std::pair(kGet, "GET, HEAD"), std::pair(kPost, "POST"), std::pair(kPut, "PUT"),
        std::pair(kPatch, "PATCH"), std::pair(kWebSocket, "WebSocket")}) {
    if ((methods & method) != 0) {
      names.append(names.empty() ? "" : ", ").append(name);
    }
  }
  return names;
}

asio::awaitable<HttpResponse> answer(const RouteMatch& match, const RoutedRequest& request) {
  if (match.route == nullptr) {
    co_return answer_without_route(match, request.request.method());
  }
  Result<HttpResponse> response = RequestError(426, "This path requires a WebSocket upgrade.");
  if (const auto* now = std::get_if<Answer>(&match.route->handler)) {
    response = (*now)(request);
  } else if (const auto* later = std::get_if<AnswerLater>(&match.route->handler)) {
    response = co_await (*later)(request);
  }
  co_return response ? *std::move(response) : error_response(response.error(), match.route->errors);
}

}  // namespace surtitle
