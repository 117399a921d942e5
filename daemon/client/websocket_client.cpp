#include "daemon/client/websocket_client.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/client/client_transport.h"
#include "daemon/net/beast.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kConnectTime{10};
constexpr std::chrono::seconds kIdleTime{60};  // without any frame, pings included
constexpr std::size_t kMaxMessage = std::size_t{1} << 24U;

std::string upgrade_failure(const error_code& error, const websocket::response_type& response) {
  if (error == websocket::error::upgrade_declined) {
    const bool refused = response.result() == http::status::unauthorized ||
                         response.result() == http::status::forbidden;
    return "the server answered " + std::to_string(response.result_int()) + " " +
           std::string(response.reason()) +
           (refused ? "; its token is missing, wrong or expired, or does not allow this" : "");
  }
  return error == http::error::bad_version || error == http::error::end_of_stream
             ? "the server sent no HTTP response"
             : error.message();
}

}  // namespace

struct WebSocketClient::Socket {
  Socket(const asio::any_io_executor& executor_, ServerKind kind)
      : executor(executor_),
        server(std::move(kind)),
        stream(std::in_place, Transport(beast::tcp_stream(executor_))) {}

  const asio::any_io_executor executor;
  const ServerKind server;
  std::optional<websocket::stream<Transport>> stream;  // replaced if the URL requires TLS
  beast::flat_buffer incoming;
  std::string outgoing;
  error_code ended;
  error_code unsent;  // why send() failed
  std::chrono::milliseconds idle = kIdleTime;
};

WebSocketClient::WebSocketClient(const asio::any_io_executor& executor, ServerKind server)
    : socket_(std::make_unique<Socket>(executor, std::move(server))) {}

WebSocketClient::~WebSocketClient() = default;

namespace {

asio::awaitable<tcp::resolver::results_type> resolve(asio::any_io_executor executor,
                                                     const WebSocketUrl& url) {
  error_code error;
  tcp::resolver resolver(executor);
  // Asio resolves names on one thread. Addresses skip it, so that thousands of streams to 127.0.0.1
  // do not wait for it.
  const asio::ip::address address = asio::ip::make_address(url.host, error);
  if (!error) {
    const auto port = static_cast<std::uint16_t>(std::stoi(url.port));
    co_return tcp::resolver::results_type::create(tcp::endpoint(address, port), url.host, url.port);
  }
  auto found = co_await resolver.async_resolve(url.host, url.port,
                                               asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    throw std::runtime_error("cannot resolve the host of " + url.text + ": " + error.message());
  }
  co_return found;
}

void set_options(websocket::stream<Transport>& stream, const std::string& subprotocol,
                 const std::string& token, std::chrono::milliseconds idle) {
  websocket::stream_base::timeout timeout;
  timeout.handshake_timeout = kConnectTime;
  timeout.idle_timeout = idle;
  timeout.keep_alive_pings = true;
  stream.set_option(timeout);
  stream.set_option(websocket::stream_base::decorator([subprotocol, token](auto& request) {
    if (!subprotocol.empty()) {
      request.set(http::field::sec_websocket_protocol, subprotocol);
    }
    request.set(http::field::user_agent, "surtitle");
    if (!token.empty()) {
      request.set(http::field::authorization, "Bearer " + token);
    }
  }));
  stream.auto_fragment(false);
  stream.read_message_max(kMaxMessage);
}

// Beast's timer would keep the io_context busy for a connection that is over.
void stop_timer(websocket::stream<Transport>& stream) {
  const auto never = websocket::stream_base::none();
  stream.set_option(websocket::stream_base::timeout{never, never, /*keep_alive_pings=*/false});
}

}  // namespace

asio::awaitable<void> WebSocketClient::connect(const WebSocketUrl& url, const std::string& target) {
  const ServerKind& server = socket_->server;
  if (url.tls) {
    socket_->stream.emplace(client_transport(get_executor(), url));
  }
  auto& stream = *socket_->stream;
  const auto endpoints = co_await resolve(stream.get_executor(), url);
  error_code error;
  auto& connection = beast::get_lowest_layer(stream);
  connection.expires_after(kConnectTime);
  co_await connection.async_connect(endpoints, asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    throw std::runtime_error("cannot connect to " + url.text + ": " + error.message() + "; is " +
                             server.name + " running there?");
  }
  connection.socket().set_option(tcp::no_delay(true), error);
  co_await stream.next_layer().handshake(ssl::stream_base::client, error);
  if (error) {
    throw std::runtime_error("TLS handshake with " + url.text +
                             " failed: " + handshake_failure(stream.next_layer(), error));
  }
  connection.expires_never();  // the WebSocket has its own timeouts
  const std::string token = server.takes_token ? url.token : std::string();
  set_options(stream, server.subprotocol, token, socket_->idle);
  websocket::response_type response;
  co_await stream.async_handshake(response, url.authority(), target,
                                  asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    stop_timer(stream);
    throw std::runtime_error("cannot open a WebSocket at " + url.text + ": " +
                             upgrade_failure(error, response));
  }
}

asio::awaitable<bool> WebSocketClient::send(std::string message) {
  socket_->stream->text(true);
  co_return co_await write(std::move(message));
}

asio::awaitable<bool> WebSocketClient::send_binary(std::string message) {
  socket_->stream->binary(true);
  co_return co_await write(std::move(message));
}

asio::awaitable<bool> WebSocketClient::write(std::string message) {
  socket_->outgoing = std::move(message);
  error_code error;
  co_await socket_->stream->async_write(asio::buffer(socket_->outgoing),
                                        asio::redirect_error(asio::use_awaitable, error));
  socket_->unsent = error;
  co_return !error;
}

asio::awaitable<std::optional<std::string_view>> WebSocketClient::read() {
  beast::flat_buffer& incoming = socket_->incoming;
  incoming.clear();
  co_await socket_->stream->async_read(incoming,
                                       asio::redirect_error(asio::use_awaitable, socket_->ended));
  if (socket_->ended) {
    stop_timer(*socket_->stream);
    co_return std::nullopt;
  }
  const asio::const_buffer bytes = incoming.cdata();
  co_return std::string_view(static_cast<const char*>(bytes.data()), bytes.size());
}

std::string WebSocketClient::close_description() const {
  // If a send fails first, Beast aborts the read; the error of the send is then the cause.
  const bool aborted = socket_->ended == asio::error::operation_aborted && socket_->unsent;
  const error_code& error = aborted ? socket_->unsent : socket_->ended;
  if (error == websocket::error::closed) {
    return "closed by the server with code " + std::to_string(socket_->stream->reason().code);
  }
  if (error == beast::error::timeout) {
    return "lost: the server did not answer for " +
           json_number(std::chrono::duration<double>(socket_->idle).count()) + " s";
  }
  return "lost: " + (error == asio::error::eof ? "the server closed the socket" : error.message());
}

bool WebSocketClient::closed_normally() const {
  return socket_->ended == websocket::error::closed &&
         (socket_->stream->reason().code == websocket::close_code::normal ||
          socket_->stream->reason().code == websocket::close_code::none);
}

bool WebSocketClient::closed_with_application_code() const {
  return socket_->ended == websocket::error::closed && socket_->stream->reason().code >= 4000;
}

asio::any_io_executor WebSocketClient::get_executor() const { return socket_->executor; }

void WebSocketClient::set_idle_time(std::chrono::milliseconds time) { socket_->idle = time; }

asio::awaitable<void> WebSocketClient::leave() {
  error_code ignored;
  const websocket::close_reason reason(websocket::close_code::normal);
  co_await socket_->stream->async_close(reason, asio::redirect_error(asio::use_awaitable, ignored));
}

void WebSocketClient::close() noexcept { beast::get_lowest_layer(*socket_->stream).close(); }

}  // namespace surtitle
