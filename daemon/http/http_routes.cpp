#include "daemon/http/http_routes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/backplane/backplane.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/base/uri.h"
#include "daemon/channels/transcript_formats.h"
#include "daemon/http/libretranslate_api.h"
#include "daemon/http/model_catalog.h"
#include "daemon/http/static_files.h"
#include "daemon/protocol/protocol.h"
#include "daemon/telemetry/openmetrics.h"

namespace surtitle {
namespace {

constexpr std::string_view kChannelPages = "/c/";

HttpResponse make(http::status status, std::string_view type, std::string content) {
  HttpResponse response(status, 11);
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-cache");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");  // addresses contain tokens
  response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.body() = std::move(content);
  return response;
}

// Returns true if the channel's sender has this track. The first track, "", always exists.
bool is_sent(const std::string& track, const std::string& channel, const Hub& hub) {
  const std::optional<ChannelSender> sender = hub.channels().sender(channel);
  return track.empty() ||
         (sender && std::any_of(sender->tracks.begin(), sender->tracks.end(),
                                [&](const protocol::Track& one) { return one.name == track; }));
}

// GET /v1/channels/NAME/transcript.EXTENSION?track=..&bilingual=1
struct TranscriptPath {
  std::optional<std::string> channel;  // nullopt: the name is not allowed
  std::optional<TranscriptFormat> format;
};

// Parses the path of a transcript. Returns nullopt for other paths.
std::optional<TranscriptPath> transcript_path(std::string_view path) {
  constexpr std::string_view kChannels = "/v1/channels/";
  constexpr std::string_view kName = "/transcript.";
  const std::size_t slash = path.rfind('/');
  if (!path.starts_with(kChannels) || !path.substr(slash).starts_with(kName)) {
    return std::nullopt;
  }
  TranscriptPath parts{percent_decode(path.substr(kChannels.size(), slash - kChannels.size())),
                       transcript_format_by_extension(path.substr(slash + kName.size()))};
  if (parts.channel && !protocol::is_channel_name(*parts.channel)) {
    parts.channel.reset();
  }
  return parts;
}

// Answers the path of a transcript. Returns nullopt for other paths.
std::optional<HttpResponse> transcript(std::string_view path, std::string_view query, Hub& hub) {
  const std::optional<TranscriptPath> parts = transcript_path(path);
  if (!parts) {
    return std::nullopt;
  }
  const auto& [channel, format] = *parts;
  if (!channel || !format) {
    return text_response(
        http::status::not_found,
        "Unknown transcript; allowed: /v1/channels/NAME/transcript.vtt, .srt, "
        ".txt and .json, with a NAME of 1 to 64 characters of A-Z a-z 0-9 . _ -\n");
  }
  hub.restore_channel(*channel);
  const Transcript* found = hub.channels().transcript(*channel);
  if (found == nullptr && hub.draining()) {
    HttpResponse response = text_response(
        http::status::service_unavailable,
        "The daemon is shutting down and has no transcript of this channel; try again.\n");
    response.set(http::field::retry_after, "1");
    return response;
  }
  if (found == nullptr) {
    return text_response(http::status::not_found, "No words were sent on this channel.\n");
  }
  TranscriptChoice choice{*format};
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "track") {
      choice.track = protocol::track_by_address(value);
    } else if (name == "bilingual") {
      choice.bilingual = value != "0";
    }
  }
  if (!is_sent(choice.track, *channel, hub) && !found->has_track(choice.track)) {
    return text_response(http::status::not_found,
                         "This channel has no track " + in_quotes(choice.track) + ".\n");
  }
  return make(http::status::ok, content_type(*format), write_transcript(*found, choice));
}

// Restricts a page to resources of the daemon: no inline scripts or styles, no other host. Pages of
// the daemon and of the allowed origins may embed it in a frame.
void set_page_policy(HttpResponse& response, const std::vector<std::string>& origins) {
  std::string framers = "'self'";
  for (const std::string& origin : origins) {
    framers.append(" ").append(origin == "null" ? "file:" : origin);
  }
  response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
               "font-src 'self'; connect-src 'self'; media-src 'self'; worker-src 'self'; "
               "base-uri 'none'; form-action 'none'; frame-ancestors " +
                   framers);
  if (origins.empty()) {  // the same for old browsers, which support no list
    response.set("X-Frame-Options", "SAMEORIGIN");
  }
  response.set("Permissions-Policy",
               "camera=(), display-capture=(), geolocation=(), payment=(), usb=(), "
               "microphone=(self), screen-wake-lock=(self)");
}

HttpResponse metrics(const HttpRequest& request, Hub& hub) {
  DaemonMetrics& measured = hub.metrics();
  measured.journal_failing(hub.journal_failing());  // a disk that hangs causes no event
  const auto accept = request[http::field::accept];
  const bool open = prefers_openmetrics({accept.data(), accept.size()});
  HttpResponse response = make(http::status::ok, open ? kOpenMetricsType : kTextMetricsType,
                               measured.exposition(open ? DaemonMetrics::Format::kOpenMetrics
                                                        : DaemonMetrics::Format::kText));
  response.set(http::field::vary, "Accept");
  return response;
}

// Answers with a file of the web folder. A page is also found without ".html".
HttpResponse file(std::string_view path, const HttpContext& context) {
  std::optional<StaticFile> found = context.files.find(path);
  if (!found) {
    found = context.files.find(std::string(path).append(".html"));
  }
  if (!found) {
    return text_response(http::status::not_found, "No file has this name.\n");
  }
  HttpResponse response = make(http::status::ok, found->content_type, std::move(found->content));
  set_page_policy(response, context.origins);
  return response;
}

// Redirects to the page of the channel that the query names, else of main. The query is kept. The
// address is relative, as a proxy may serve the daemon below a folder.
HttpResponse to_channel(std::string_view query) {
  std::string channel = "main";
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "channel" && protocol::is_channel_name(value)) {
      channel = value;
    }
  }
  HttpResponse response = text_response(http::status::found, "The subtitles are at /c/NAME.\n");
  std::string location("c/");
  location.append(channel);
  if (!query.empty()) {
    location.append("?").append(query);
  }
  response.set(http::field::location, location);
  return response;
}

HttpResponse channel_page(std::string_view channel, const HttpContext& context) {
  const std::optional<std::string> name = percent_decode(channel);
  if (!name || !protocol::is_channel_name(*name)) {
    return text_response(
        http::status::not_found,
        "A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..\n");
  }
  return file("/viewer", context);
}

}  // namespace

std::optional<std::string> transcript_channel(std::string_view path) {
  const std::optional<TranscriptPath> parts = transcript_path(path);
  return parts && parts->format ? parts->channel : std::nullopt;
}

HttpResponse text_response(http::status status, std::string_view text) {
  return make(status, "text/plain; charset=utf-8", std::string(text));
}

HttpResponse json_answer(http::status status, std::string_view json) {
  return make(status, "application/json", std::string(json).append("\n"));
}

http::status http_status(protocol::ErrorCode code) {
  switch (code) {
    case protocol::ErrorCode::kTooManyStreams:
    case protocol::ErrorCode::kOverloaded:
    case protocol::ErrorCode::kDraining:
      return http::status::service_unavailable;
    case protocol::ErrorCode::kRateLimited:
      return http::status::too_many_requests;
    case protocol::ErrorCode::kInternal:
      return http::status::internal_server_error;
    default:
      return http::status::bad_request;
  }
}

void set_retry(HttpResponse& response, const protocol::Error& error) {
  // For errors without a time: until a stream ends, the next daemon listens, or a quota has
  // refilled.
  constexpr int kUsualSeconds = 5;
  if (response.result() == http::status::service_unavailable ||
      response.result() == http::status::too_many_requests) {
    response.set(http::field::retry_after,
                 std::to_string(error.retry_seconds.value_or(kUsualSeconds)));
  }
}

HttpResponse error_response(const HttpRequest& request, const Refusal& refusal) {
  const auto status = static_cast<http::status>(refusal.status);
  const std::string_view target(request.target().data(), request.target().size());
  HttpResponse response =
      split_target(target).first == "/translate"
          ? json_answer(status, JsonWriter().field("error", refusal.sentence).finish())
          : text_response(status, refusal.sentence + "\n");
  if (status == http::status::unauthorized) {
    response.set(http::field::www_authenticate, "Bearer");
  }
  if (refusal.retry_after > 0) {
    response.set(http::field::retry_after, std::to_string(refusal.retry_after));
  }
  return response;
}

HttpResponse answer(const HttpRequest& request, const HttpContext& context) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    HttpResponse response = text_response(http::status::method_not_allowed,
                                          "Method not allowed; allowed: GET, HEAD.\n");
    response.set(http::field::allow, "GET, HEAD");
    return response;
  }
  const std::string_view target(request.target().data(), request.target().size());
  const auto [path, query] = split_target(target);
  if (path == "/") {
    return to_channel(query);
  }
  if (path.starts_with(kChannelPages)) {
    return channel_page(path.substr(kChannelPages.size()), context);
  }
  if (path == "/livez" || path == "/healthz") {
    return text_response(http::status::ok, "ok\n");
  }
  if (path == "/readyz") {
    if (context.hub.draining()) {
      return text_response(http::status::service_unavailable, "draining\n");
    }
    if (context.hub.journal_failing()) {
      return text_response(http::status::service_unavailable, "the journal cannot be written\n");
    }
    const Backplane* others = context.hub.backplane();
    return text_response(http::status::ok,
                         others == nullptr ? "ready\n"
                         : others->up()
                             ? "ready\nthe backplane is available\n"
                             : "ready\nthe backplane is unavailable: streams and viewers of "
                               "this replica continue, those of others wait\n");
  }
  if (path == "/metrics") {
    return metrics(request, context.hub);
  }
  if (path == "/languages") {
    return answer_languages(context.hub);
  }
  if (path == "/v1/models") {
    return json_answer(http::status::ok, models_json(context.hub.models()));
  }
  if (path == "/v1/policies") {
    return json_answer(http::status::ok, policies_json());
  }
  if (std::optional<HttpResponse> response = transcript(path, query, context.hub)) {
    return std::move(*response);
  }
  if (path == "/v1/stream" || path.starts_with("/v1/channels/")) {
    HttpResponse response = text_response(http::status::upgrade_required,
                                          "This address requires a WebSocket upgrade.\n");
    response.set(http::field::upgrade, "websocket");
    return response;
  }
  return file(path, context);
}

bool from_own_page(const HttpRequest& request, const HttpContext& context) {
  const auto given = request.find(http::field::origin);
  if (given == request.end()) {
    return true;
  }
  const std::string_view origin(given->value().data(), given->value().size());
  const auto host_field = request[http::field::host];
  const std::string_view host(host_field.data(), host_field.size());
  const std::size_t scheme = origin.find("://");
  const bool under_tls = context.tls.context() != nullptr;
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == host &&
         (!under_tls || origin.starts_with("https://"));  // a page in the clear may be forged
}

bool origin_allowed(const HttpRequest& request, const HttpContext& context) {
  const std::string_view origin = request[http::field::origin];
  return from_own_page(request, context) ||
         std::any_of(
             context.origins.begin(), context.origins.end(),
             [&](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

}  // namespace surtitle
