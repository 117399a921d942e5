#include "tests/daemon/support/test_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/json.hpp>
#include <stdexcept>
#include <utility>

#include "daemon/net/beast.h"
#include "tests/daemon/support/schema.h"

namespace surtitle {
namespace {

tcp::endpoint loopback(int port) {
  return {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)};
}

}  // namespace

struct TestClient::Socket {
  asio::io_context io;
  websocket::stream<tcp::socket> stream{io};
  std::string subprotocol;
  std::string operation;  // of the AsyncAPI document, for received messages
  bool over = false;

  void open(int port, const std::string& path, bool small) {
    tcp::socket& socket = stream.next_layer();
    socket.open(tcp::v4());
    if (small) {
      socket.set_option(asio::socket_base::receive_buffer_size(1));
    }
    socket.connect(loopback(port));
    socket.set_option(tcp::no_delay(true));
    stream.set_option(websocket::stream_base::decorator([](websocket::request_type& request) {
      request.set(http::field::sec_websocket_protocol, "other, surtitle.v1");
    }));
    stream.read_message_max(1U << 30U);
    websocket::response_type response;
    try {
      stream.handshake(response, "127.0.0.1:" + std::to_string(port), path);
    } catch (const boost::system::system_error& error) {
      throw std::runtime_error(std::string("upgrade refused: ") + error.what());
    }
    const auto chosen = response[http::field::sec_websocket_protocol];
    subprotocol.assign(chosen.data(), chosen.size());
    operation = path.starts_with("/v1/stream")      ? "sendToSender"
                : path.starts_with("/v1/channels/") ? "sendToViewer"
                                                    : "sendToAlignatt";
    stream.text(true);
  }
};

TestClient::TestClient(int port, const std::string& path) : socket_(std::make_unique<Socket>()) {
  socket_->open(port, path, /*small=*/false);
}

TestClient::TestClient(int port, const std::string& path, SmallBuffer /*small*/)
    : socket_(std::make_unique<Socket>()) {
  socket_->open(port, path, /*small=*/true);
}

TestClient::TestClient(TestClient&& other) noexcept = default;
TestClient::~TestClient() = default;

const std::string& TestClient::subprotocol() const noexcept { return socket_->subprotocol; }

void TestClient::send(std::string_view text) {
  socket_->stream.text(true);
  error_code error;
  socket_->stream.write(asio::buffer(text), error);
  if (error) {
    throw std::runtime_error("cannot send: " + error.message());
  }
}

void TestClient::send_binary(std::string_view bytes) {
  socket_->stream.binary(true);
  socket_->stream.write(asio::buffer(bytes));
}

std::optional<boost::json::object> TestClient::read() {
  if (socket_->over) {
    return std::nullopt;
  }
  beast::flat_buffer buffer;
  error_code error;
  socket_->stream.read(buffer, error);
  if (error) {
    socket_->over = true;
    return std::nullopt;
  }
  const std::string text = beast::buffers_to_string(buffer.cdata());
  EXPECT_EQ(AsyncApi::get().violation(socket_->operation, text), "") << text;
  return boost::json::parse(text).as_object();
}

boost::json::object TestClient::read_until(std::string_view type) {
  while (std::optional<boost::json::object> message = read()) {
    if (std::string_view(message->at("type").as_string()) == type) {
      return *std::move(message);
    }
  }
  throw std::runtime_error("the connection ended before a message of type " + std::string(type));
}

std::vector<boost::json::object> TestClient::read_to_end() {
  std::vector<boost::json::object> messages;
  while (std::optional<boost::json::object> message = read()) {
    messages.push_back(*std::move(message));
  }
  return messages;
}

int TestClient::close_code() const { return socket_->stream.reason().code; }

void TestClient::close() {
  error_code ignored;
  socket_->stream.close(websocket::close_code::normal, ignored);
}

void TestClient::cut() { shutdown(socket_->stream.next_layer().native_handle(), SHUT_RDWR); }

std::string raw(int port, std::string_view bytes) {
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect(loopback(port));
  error_code ended;
  asio::write(socket, asio::buffer(bytes), ended);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), ended);
  return answer;
}

HttpAnswer ask_http(int port, const std::string& request_line, const std::string& headers,
                    const std::string& body) {
  const std::string answer =
      raw(port, request_line + "\r\nHost: 127.0.0.1:" + std::to_string(port) +
                    "\r\nConnection: close\r\n" + headers + "\r\n" + body);
  const std::size_t space = answer.find(' ');
  const std::size_t head = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 ") || head == std::string::npos) {
    throw std::runtime_error("no HTTP answer to " + request_line + ": " + answer);
  }
  return {std::stoi(answer.substr(space + 1)), answer.substr(0, head), answer.substr(head + 4)};
}

}  // namespace surtitle
