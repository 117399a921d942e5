#include "daemon/http/http_session.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "daemon/base/url_parts.h"
#include "daemon/http/authorize.h"
#include "daemon/http/channel_sockets.h"
#include "daemon/http/cors.h"
#include "daemon/http/metered_handler.h"
#include "daemon/http/websocket_session.h"
#include "daemon/net/close_notice_stream.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kHandshakeTime{10};      // of TLS
constexpr std::chrono::seconds kRejectTime{5};          // of a peer over its quota, for one request
constexpr std::chrono::seconds kOverloadRejectTime{1};  // the same at the limit of connections
constexpr std::uint32_t kHeaderBytes = 16384;
constexpr std::uint64_t kBodyBytes = 65536;

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

RequestError parse_error(const error_code& error) {
  if (error == http::error::body_limit) {
    return {413, "The body is too large."};
  }
  if (error == http::error::header_limit) {
    return {431, "The header is too large."};
  }
  return {400, "This is not an HTTP request."};
}

bool is_http_error(const error_code& error) {
  return error && error != http::error::end_of_stream &&
         error.category() == http::make_error_code(http::error::bad_method).category();
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

// Returns the handler of the requested WebSocket. `more`: bytes follow the request.
Result<std::unique_ptr<ConnectionHandler>> open_websocket(const RoutedRequest& request,
                                                          const RouteMatch& match, bool more) {
  if (!has_key(request.request)) {
    return RequestError(400, "Sec-WebSocket-Key must be given once, 16 bytes in base64.");
  }
  if (more) {
    return RequestError(400, "An upgrade must not be followed by data before the response.");
  }
  const auto* open =
      match.route == nullptr ? nullptr : std::get_if<OpenWebSocket>(&match.route->handler);
  if (open == nullptr) {
    return unknown_websocket();
  }
  Result<std::unique_ptr<ConnectionHandler>> handler = (*open)(request);
  if (handler) {
    handler = std::make_unique<MeteredHandler>(*std::move(handler), request.client);
  }
  return handler;
}

// Returns the format of errors at the path of a request, which may be incomplete.
ErrorFormat error_format(const HttpRequest& request) {
  const std::string_view path = split_target(request.target()).first;
  return find_route(path, request.method()).path_route->errors;
}

HttpResponse last_response(const RequestError& error, ErrorFormat format) {
  HttpResponse response = error_response(error, format);
  response.keep_alive(false);
  return response;
}

struct Outcome {
  std::shared_ptr<AuthenticatedClient> client;  // its leases last until the response is written
  std::unique_ptr<ConnectionHandler> websocket;
  HttpResponse response;  // unless there is a WebSocket
};

// Authorises a request and answers it. `more`: bytes follow it.
asio::awaitable<Outcome> handle(const HttpRequest& request, bool more, const HttpContext& context,
                                const Peer& peer) {
  Outcome outcome;
  const auto [path, query] = split_target(request.target());
  const RouteMatch match = find_route(path, request.method(), websocket::is_upgrade(request));
  const auto client = authorize_request(request, context, peer, match);
  outcome.client = client ? *client : nullptr;
  const RoutedRequest routed{request, context, outcome.client, match.parameters, path, query};
  const bool preflight = is_preflight(request, context);
  Result<void> admitted;
  if (!client) {
    admitted = client.error();
  } else if (!preflight) {
    admitted = admit(routed, match);
  }
  if (!admitted) {
    context.server.metrics().refused(admitted.error().status);
    outcome.response = last_response(admitted.error(), match.path_route->errors);
  } else if (preflight) {
    outcome.response = preflight_response();
  } else if (websocket::is_upgrade(request)) {
    Result<std::unique_ptr<ConnectionHandler>> opened = open_websocket(routed, match, more);
    if (opened) {
      outcome.websocket = *std::move(opened);
    } else {
      outcome.response = last_response(opened.error(), match.path_route->errors);
    }
  } else {
    outcome.response = co_await answer(match, routed);
    outcome.client->charge_response(outcome.response.body().size(), context.server.now());
    if (peer.refusal) {
      outcome.response.keep_alive(false);
    }
  }
  co_return outcome;
}

}  // namespace

asio::awaitable<void> serve_http(tcp::socket socket, const HttpContext& context,
                                 std::optional<RequestError> rejection) {
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
  std::optional<StreamRegistry::PendingRequestGuard> pending_request(std::in_place,
                                                                     context.streams);
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
      pending_request.emplace(context.streams);
    }
    const HttpRequest request = parser.release();
    if (!understood) {
      HttpResponse response = last_response(parse_error(error), error_format(request));
      error = {};
      allow_origin(request, context, response);
      co_await write(transport, response, request, error);
      break;
    }
    Outcome outcome = co_await handle(request, buffer.size() > 0, context, *peer);
    if (outcome.websocket) {
      pending_request.reset();
      tcp_stream.expires_never();
      const auto session = std::make_shared<WebsocketSession>(
          std::move(stream), context.server.options().limits, std::move(outcome.websocket),
          context.server.metrics());
      co_await session->run(request);
      co_return;  // `stream` has moved into the WebSocket
    }
    tcp_stream.expires_after(request_time);
    allow_origin(request, context, outcome.response);
    co_await write(transport, outcome.response, request, error);
  }
  co_await transport.shutdown();
}

}  // namespace surtitle
