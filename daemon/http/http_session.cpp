#include "daemon/http/http_session.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "daemon/access/authenticated_client.h"
#include "daemon/backplane/backplane.h"
#include "daemon/base/uri.h"
#include "daemon/http/admin_api.h"
#include "daemon/http/authorize.h"
#include "daemon/http/cors.h"
#include "daemon/http/http_routes.h"
#include "daemon/http/libretranslate_api.h"
#include "daemon/http/metered_handler.h"
#include "daemon/http/simuleval_api.h"
#include "daemon/http/websocket_session.h"
#include "daemon/net/async_event.h"
#include "daemon/net/close_notice_stream.h"
#include "daemon/streams/stream_sender.h"
#include "daemon/streams/viewer.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kHandshakeTime{10};      // of TLS
constexpr std::chrono::seconds kRejectTime{5};          // of a peer over its quota, for one request
constexpr std::chrono::seconds kOverloadRejectTime{1};  // the same at the limit of connections
constexpr std::uint32_t kHeaderBytes = 16384;
constexpr std::uint64_t kBodyBytes = 65536;

constexpr std::string_view kStreamPath = "/v1/stream";

const Refusal kOtherOrigin{
    403, "Pages of this origin may not use this address; add the origin to allowed_origins."};

// The frames that are sent before Beast's own close frame if text is not UTF-8.
const std::string& bad_utf8_notice() {
  static const std::string frames =
      text_frame(protocol::to_json(protocol::Error{
          protocol::ErrorCode::kBadUtf8, "the message is not valid UTF-8, which JSON requires"})) +
      text_frame(protocol::to_json(protocol::Bye{protocol::ByeReason::kError}));
  return frames;
}

Transport make_transport(tcp::socket socket, const HttpContext& context) {
  beast::tcp_stream stream(std::move(socket));
  ssl::context* tls = context.tls.context();
  return tls == nullptr ? Transport(std::move(stream)) : Transport(std::move(stream), *tls);
}

HttpResponse refusal(const error_code& error) {
  if (error == http::error::body_limit) {
    return text_response(http::status::payload_too_large, "The body is too large.\n");
  }
  if (error == http::error::header_limit) {
    return text_response(http::status::request_header_fields_too_large,
                         "The header is too large.\n");
  }
  return text_response(http::status::bad_request, "This is not an HTTP request.\n");
}

bool is_http_error(const error_code& error) {
  return error && error != http::error::end_of_stream &&
         error.category() == http::make_error_code(http::error::bad_method).category();
}

// Returns the handler of a WebSocket at this address, or an error of one sentence.
std::variant<std::unique_ptr<ConnectionHandler>, std::string> make_handler(
    std::string_view target, Hub& hub, const std::shared_ptr<AuthenticatedClient>& client) {
  constexpr std::string_view kChannels = "/v1/channels/";
  const auto [path, query] = split_target(target);
  if (path == kStreamPath) {
    return std::make_unique<StreamSender>(hub, Stream::Kind::kDurable, client);
  }
  if (path.starts_with(kChannels)) {
    const auto channel = percent_decode(path.substr(kChannels.size()));
    if (channel && protocol::is_channel_name(*channel)) {
      const auto request = parse_subscribe_request(query);
      if (const auto* wrong = std::get_if<std::string>(&request)) {
        return *wrong;
      }
      return std::make_unique<Viewer>(hub, *channel, std::get<SubscribeRequest>(request));
    }
  }
  return "unknown address; allowed: /v1/stream and /v1/channels/NAME, with a NAME of 1 to 64 "
         "characters of A-Z a-z 0-9 . _ -";
}

// Coroutines in this file pass named objects to awaited functions: GCC 12 destroys temporaries of a
// co_await expression twice.
asio::awaitable<void> write(Transport& stream, HttpResponse& response, const HttpRequest& request,
                            error_code& error) {
  response.keep_alive(response.keep_alive() && request.keep_alive());
  response.set(http::field::server, "surtitled");
  if (stream.encrypted()) {
    response.set(http::field::strict_transport_security, "max-age=31536000");
  }
  response.prepare_payload();
  if (request.method() == http::verb::head) {
    http::response<http::empty_body> head(response.base());
    co_await http::async_write(stream, head, asio::redirect_error(asio::use_awaitable, error));
  } else {
    co_await http::async_write(stream, response, asio::redirect_error(asio::use_awaitable, error));
  }
  if (!response.keep_alive() && !error) {
    error = http::error::end_of_stream;
  }
}

// Returns true if the request has one key of 16 bytes in base64 (RFC 6455, 4.2.1), which Beast does
// not check.
bool has_key(const HttpRequest& request) {
  constexpr std::size_t kDigits = 22;
  const auto field = request[http::field::sec_websocket_key];
  const std::string_view key(field.data(), field.size());
  return request.count(http::field::sec_websocket_key) == 1 && key.size() == kDigits + 2 &&
         key.ends_with("==") &&
         std::all_of(key.begin(), key.begin() + kDigits, [](unsigned char digit) {
           return std::isalnum(digit) != 0 || digit == '+' || digit == '/';
         });
}

HttpResponse reject(const HttpRequest& request, const HttpContext& context,
                    const Refusal& refusal) {
  context.hub.metrics().refused(refusal.status);
  HttpResponse response = error_response(request, refusal);
  response.keep_alive(false);
  return response;
}

// Returns the handler of the requested WebSocket, or nullptr and a response that refuses it.
// `more`: bytes follow the request.
std::unique_ptr<ConnectionHandler> admit(const HttpRequest& request, bool more,
                                         const HttpContext& context,
                                         const std::shared_ptr<AuthenticatedClient>& client,
                                         HttpResponse& refused) {
  if (!has_key(request)) {
    refused = text_response(http::status::bad_request,
                            "Sec-WebSocket-Key must be given once, 16 bytes in base64.\n");
    return nullptr;
  }
  if (more) {
    refused = text_response(http::status::bad_request,
                            "An upgrade must not be followed by data before the response.\n");
    return nullptr;
  }
  const std::string_view target(request.target().data(), request.target().size());
  if (!origin_allowed(request, context)) {
    refused = reject(request, context, kOtherOrigin);
    return nullptr;
  }
  auto made = make_handler(target, context.hub, client);
  if (const auto* wrong = std::get_if<std::string>(&made)) {
    refused = text_response(http::status::not_found, *wrong + "\n");
    return nullptr;
  }
  if (split_target(target).first == kStreamPath) {
    if (const std::optional<Refusal> refusal = client->open_stream(/*may_resume=*/true)) {
      refused = reject(request, context, *refusal);
      return nullptr;
    }
  }
  return std::make_unique<MeteredHandler>(
      std::get<std::unique_ptr<ConnectionHandler>>(std::move(made)), client);
}

// Follows a channel on other replicas during its lifetime.
class ChannelSubscription {
 public:
  ChannelSubscription(Hub& hub, std::string channel)
      : hub_(hub), channel_(std::move(channel)), drain_guard_(hub) {}
  ChannelSubscription(const ChannelSubscription&) = delete;
  ChannelSubscription& operator=(const ChannelSubscription&) = delete;
  ~ChannelSubscription() {
    if (follows_ && hub_.backplane() != nullptr) {
      hub_.backplane()->leave(channel_);
    }
  }

  asio::awaitable<void> wait_loaded() {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto known = std::make_shared<AsyncEvent>(executor);
    const auto is_known = std::make_shared<bool>(false);
    follows_ = true;
    hub_.backplane()->follow(channel_, [known, is_known](bool /*all*/) {
      *is_known = true;
      known->notify();
    });
    if (!*is_known) {
      co_await known->wait();
    }
  }

 private:
  Hub& hub_;
  const std::string channel_;
  const Hub::DrainGuard drain_guard_;
  bool follows_ = false;
};

// Answers requests that have to wait. Returns nullopt for all others.
asio::awaitable<std::optional<HttpResponse>> handle_async(
    const HttpRequest& request, const HttpContext& context,
    const std::shared_ptr<AuthenticatedClient>& client) {
  const std::string_view target(request.target().data(), request.target().size());
  const std::string_view path = split_target(target).first;
  if (is_preflight(request, context)) {
    co_return preflight_response();
  }
  if (context.admin_api != nullptr && path.starts_with("/v1/admin/")) {
    if (!from_own_page(request, context)) {
      co_return reject(request, context, kOtherOrigin);
    }
    co_return context.admin_api->answer(request, client->grant().name);
  }
  const bool translate = path == "/translate" && request.method() == http::verb::post;
  const bool evaluate = SimulEvalAgent::is_asked(request);
  const std::optional<std::string> transcript = transcript_channel(path);
  if (transcript && context.hub.backplane() != nullptr) {
    ChannelSubscription subscription(context.hub, *transcript);
    co_await subscription.wait_loaded();
    co_return answer(request, context);
  }
  if (!translate && !evaluate) {
    co_return std::nullopt;
  }
  if (!origin_allowed(request, context)) {
    co_return reject(request, context, kOtherOrigin);
  }
  if (translate || path == "/reset") {
    if (const std::optional<Refusal> refusal = client->open_stream(/*may_resume=*/false)) {
      co_return reject(request, context, *refusal);
    }
  }
  if (evaluate) {
    co_return co_await context.simuleval.answer(request, client);
  }
  co_return co_await answer_translate(request, context, client);
}

}  // namespace

asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context,
                                 std::optional<Refusal> rejection) {
  std::optional<Peer> peer = accept_peer(socket, context);
  if (!peer) {
    co_return;
  }
  Clock::duration request_time = peer->refusal ? kRejectTime : context.request_time;
  if (rejection) {
    peer->refusal = std::move(rejection);
    request_time = kOverloadRejectTime;
  }
  CloseNoticeStream stream(make_transport(std::move(socket), context), bad_utf8_notice());
  Transport& transport = stream.next_layer();
  beast::tcp_stream& tcp_stream = transport.next_layer();
  beast::flat_buffer buffer;
  error_code error;
  tcp_stream.expires_after(std::min<Clock::duration>(kHandshakeTime, request_time));
  std::optional<Hub::PendingRequestGuard> pending_request(std::in_place, context.hub);
  co_await transport.handshake(ssl::stream_base::server, error);
  for (; !error; pending_request.reset()) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(kHeaderBytes);
    parser.body_limit(kBodyBytes);
    tcp_stream.expires_after(request_time);
    co_await http::async_read(transport, buffer, parser,
                              asio::redirect_error(asio::use_awaitable, error));
    const bool understood = !is_http_error(error);
    if (error && understood) {
      break;
    }
    if (!pending_request) {
      pending_request.emplace(context.hub);
    }
    const HttpRequest request = understood ? parser.release() : HttpRequest();
    HttpResponse response;
    if (!understood) {
      response = refusal(error);
      response.keep_alive(false);
      error = {};
      co_await write(transport, response, request, error);
      break;
    }
    const auto who = authorize_request(request, context, *peer);
    if (const auto* refused = std::get_if<Refusal>(&who)) {
      response = reject(request, context, *refused);
      allow_origin(request, context, response);
      co_await write(transport, response, request, error);
      continue;
    }
    const auto& client = std::get<std::shared_ptr<AuthenticatedClient>>(who);
    if (websocket::is_upgrade(request)) {
      std::unique_ptr<ConnectionHandler> handler =
          admit(request, buffer.size() > 0, context, client, response);
      if (handler) {
        pending_request.reset();
        tcp_stream.expires_never();
        const auto session =
            std::make_shared<WebsocketSession>(std::move(stream), context.hub.options().limits,
                                               std::move(handler), context.hub.metrics());
        co_await session->run(request);
        co_return;  // `stream` has moved into the WebSocket
      }
      response.keep_alive(false);
    } else {
      std::optional<HttpResponse> slow = co_await handle_async(request, context, client);
      response = slow ? std::move(*slow) : answer(request, context);
      client->answered(response.body().size(), context.hub.now());
      if (peer->refusal) {
        response.keep_alive(false);
      }
      tcp_stream.expires_after(request_time);
    }
    allow_origin(request, context, response);
    co_await write(transport, response, request, error);
  }
  co_await transport.shutdown();
}

}  // namespace surtitle
