// A WebSocket's client end, frame by frame, for tests of what no client library would send.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

inline constexpr int kContinuation = 0;
inline constexpr int kText = 1;
inline constexpr int kBinary = 2;
inline constexpr int kClose = 8;
inline constexpr int kPing = 9;
inline constexpr int kPong = 10;

struct Frame {
  int opcode = kText;
  std::string payload = {};
  bool fin = true;
  int reserved = 0;     // its three bits; 4 is RSV1
  bool masked = true;   // as a client's must be
  int length_bits = 0;  // of the length's field: 7, 16 or 64; 0: as few as do
};
std::string bytes_of(const Frame& frame);

// A close frame's payload.
std::string close_payload(int code, std::string_view reason = {});

// A frame's first bytes that announce so much and bring none of it.
std::string announce(int opcode, std::uint64_t length);

class RawWebsocket {
 public:
  struct Upgrade {
    std::string method = "GET";
    std::string path = "/v1/stream";
    std::string version = "HTTP/1.1";
    std::vector<std::string> fields = {
        "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"};
  };

  // Connects and asks for the upgrade. `behind` goes out with the request.
  RawWebsocket(int port, const Upgrade& upgrade, std::string_view behind = {});
  explicit RawWebsocket(int port);
  RawWebsocket(RawWebsocket&&) noexcept;
  ~RawWebsocket();

  // The answer's lines, "HTTP/1.1 101 Switching Protocols\r\n...".
  const std::string& answer() const noexcept;
  bool is_open() const;  // whether the upgrade was taken

  // False where the daemon has closed already.
  bool send(std::string_view bytes);
  // Sends nothing more, but goes on reading.
  void shut_down_sending();

  // All that comes until the daemon closes the connection, "pong(hi) ready error:bad-json bye:error
  // close(4400)"; texts of other types by their type. Throws std::runtime_error where the daemon's
  // frames are not as RFC 6455 has them: masked, fragmented, with reserved bits, with a length that
  // is not minimal.
  std::string rest(bool answer_close = true);
  // Likewise, up to this one, "pong(hi)". Throws where the connection ends first.
  std::string up_to(std::string_view last);

 private:
  struct Socket;
  std::string next_frame();

  std::unique_ptr<Socket> socket_;
};

}  // namespace surtitle
