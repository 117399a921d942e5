#include "tests/daemon/support/raw_websocket.h"

#include <boost/json.hpp>
#include <stdexcept>
#include <utility>

#include "daemon/net/beast.h"

namespace surtitle {
namespace {

constexpr std::string_view kMask = "\x12\x34\x56\x78";

std::string big_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = bytes; i-- > 0;) {
    text += static_cast<char>(number >> (8U * static_cast<unsigned int>(i)));
  }
  return text;
}

std::string head(int first, bool masked, std::uint64_t length, int length_bits) {
  const int mask = masked ? 0x80 : 0;
  std::string bytes(1, static_cast<char>(first));
  if (length_bits == 7) {
    return bytes += static_cast<char>(mask | static_cast<int>(length));
  }
  bytes += static_cast<char>(mask | (length_bits == 16 ? 126 : 127));
  return bytes += big_endian(length, length_bits / 8);
}

int fewest_bits(std::uint64_t length) { return length < 126 ? 7 : length < 65536 ? 16 : 64; }

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

// Returns "ready", "error:bad-json", "bye:error".
std::string text_shown(std::string_view payload) {
  const auto message = boost::json::parse(payload).as_object();
  std::string shown(message.at("type").as_string());
  for (const char* detail : {"code", "reason"}) {
    if (const auto* value = message.if_contains(detail)) {
      shown += ':' + std::string(value->as_string());
    }
  }
  return shown;
}

void require(bool holds, const char* what) {
  if (!holds) {
    throw std::runtime_error(std::string("a frame of the daemon ") + what);
  }
}

}  // namespace

std::string bytes_of(const Frame& frame) {
  const int first = (frame.fin ? 0x80 : 0) | frame.reserved << 4 | frame.opcode;
  const std::size_t length = frame.payload.size();
  std::string bytes = head(first, frame.masked, length,
                           frame.length_bits != 0 ? frame.length_bits : fewest_bits(length));
  if (!frame.masked) {
    return bytes += frame.payload;
  }
  bytes += kMask;
  for (std::size_t i = 0; i < length; ++i) {
    bytes += static_cast<char>(frame.payload[i] ^ kMask[i % kMask.size()]);
  }
  return bytes;
}

std::string close_payload(int code, std::string_view reason) {
  return big_endian(static_cast<std::uint64_t>(code), 2).append(reason);
}

std::string announce(int opcode, std::uint64_t length) {
  return head(0x80 | opcode, /*masked=*/true, length, fewest_bits(length)).append(kMask);
}

struct RawWebsocket::Socket {
  asio::io_context io;
  tcp::socket socket{io};
  std::string answer;
  std::string received;  // after the answer, not parsed yet

  // Returns false if the daemon closes first.
  bool receive(std::size_t bytes) {
    error_code error;
    if (received.size() < bytes) {
      asio::read(socket, asio::dynamic_buffer(received),
                 asio::transfer_exactly(bytes - received.size()), error);
    }
    return !error;
  }

  std::string take(std::size_t bytes) {
    require(receive(bytes), "is cut off");
    std::string taken = received.substr(0, bytes);
    received.erase(0, bytes);
    return taken;
  }
};

RawWebsocket::RawWebsocket(int port, const Upgrade& upgrade, std::string_view behind)
    : socket_(std::make_unique<Socket>()) {
  std::string request = upgrade.method + " " + upgrade.path + " " + upgrade.version + "\r\n";
  for (const std::string& field : upgrade.fields) {
    request += field + "\r\n";
  }
  request.append("\r\n").append(behind);
  socket_->socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
  socket_->socket.set_option(tcp::no_delay(true));
  asio::write(socket_->socket, asio::buffer(request));
  const std::size_t end =
      asio::read_until(socket_->socket, asio::dynamic_buffer(socket_->received), "\r\n\r\n");
  socket_->answer = socket_->take(end);
}

RawWebsocket::RawWebsocket(int port) : RawWebsocket(port, Upgrade()) {}
RawWebsocket::RawWebsocket(RawWebsocket&&) noexcept = default;
RawWebsocket::~RawWebsocket() = default;

const std::string& RawWebsocket::answer() const noexcept { return socket_->answer; }

bool RawWebsocket::is_open() const { return socket_->answer.starts_with("HTTP/1.1 101 "); }

bool RawWebsocket::send(std::string_view bytes) {
  error_code closed;
  asio::write(socket_->socket, asio::buffer(bytes), closed);
  return !closed;
}

void RawWebsocket::shut_down_sending() { socket_->socket.shutdown(tcp::socket::shutdown_send); }

std::string RawWebsocket::rest(bool answer_close) {
  std::string all;
  while (socket_->receive(2)) {
    const std::string shown = next_frame();
    all += (all.empty() ? "" : " ") + shown;
    if (answer_close && shown.starts_with("close")) {
      send(bytes_of({.opcode = kClose, .payload = close_payload(1000)}));
    }
  }
  return all;
}

std::string RawWebsocket::up_to(std::string_view last) {
  std::string all;
  std::string shown;
  while (shown != last) {
    shown = next_frame();
    all += (all.empty() ? "" : " ") + shown;
  }
  return all;
}

std::string RawWebsocket::next_frame() {
  const std::string first = socket_->take(2);
  const auto length_code = static_cast<unsigned char>(first[1]);
  require(length_code < 128, "is masked");
  const int bits = length_code < 126 ? 7 : length_code == 126 ? 16 : 64;
  const std::uint64_t length =
      bits == 7 ? length_code : number_of(socket_->take(static_cast<std::size_t>(bits / 8)));
  require(bits == fewest_bits(length), "has a length that is not minimal");
  const std::string payload = socket_->take(length);
  switch (static_cast<unsigned char>(first[0])) {
    case 0x80 | kText:
      return text_shown(payload);
    case 0x80 | kPing:
      return "ping(" + payload + ")";
    case 0x80 | kPong:
      return "pong(" + payload + ")";
    case 0x80 | kClose:
      return payload.empty() ? "close()"
                             : "close(" + std::to_string(number_of(payload.substr(0, 2))) +
                                   payload.substr(2) + ")";
    default:
      throw std::runtime_error("a frame of the daemon has bits that it must not have");
  }
}

}  // namespace surtitle
