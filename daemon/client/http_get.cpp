#include "daemon/client/http_get.h"

#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "daemon/client/client_transport.h"
#include "daemon/net/beast.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kTime{10};
constexpr std::uint64_t kMaxBody = 64U << 20U;

using Response = http::response<http::string_body>;

[[noreturn]] void fail(const WebSocketUrl& url, const std::string& what) {
  throw std::runtime_error("no answer from " + url.text + ": " + what);
}

asio::awaitable<void> get(asio::io_context& io, const WebSocketUrl& url, const std::string& target,
                          std::string& body) {
  error_code error;
  Transport transport = client_transport(io.get_executor(), url);
  tcp::resolver resolver(io);
  const auto endpoints = resolver.resolve(url.host, url.port, error);
  if (error) {
    fail(url, "cannot resolve the host: " + error.message());
  }
  transport.next_layer().expires_after(kTime);
  co_await transport.next_layer().async_connect(endpoints,
                                                asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    fail(url, error.message() + "; is surtitled running there?");
  }
  co_await transport.handshake(ssl::stream_base::client, error);
  if (error) {
    fail(url, handshake_failure(transport, error));
  }
  http::request<http::empty_body> request(http::verb::get, url.path + target, 11);
  request.set(http::field::host, url.authority());
  request.set(http::field::user_agent, "surtitle");
  request.set(http::field::connection, "close");
  if (!url.token.empty()) {
    request.set(http::field::authorization, "Bearer " + url.token);
  }
  co_await http::async_write(transport, request, asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    fail(url, error.message());
  }
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxBody);
  co_await http::async_read(transport, buffer, parser,
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    fail(url, error.message());
  }
  const Response response = parser.release();
  if (response.result() != http::status::ok) {
    throw std::runtime_error(url.text + " answered with HTTP status " +
                             std::to_string(response.result_int()) + ": " +
                             response.body().substr(0, response.body().find('\n')));
  }
  body = response.body();
}

}  // namespace

std::string http_get(const WebSocketUrl& url, const std::string& target) {
  asio::io_context io(1);
  std::string body;
  std::exception_ptr failure;
  asio::co_spawn(io, get(io, url, target, body),
                 [&failure](const std::exception_ptr& thrown) { failure = thrown; });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return body;
}

}  // namespace surtitle
