// A WebSocket client of single frames, for those that no client library sends.
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
  int reserved = 0;     // the three reserved bits; 4 is RSV1
  bool masked = true;   // required of a client
  int length_bits = 0;  // bits of the length's field: 7, 16 or 64; 0: the fewest that suffice
};
std::string bytes_of(const Frame& frame);

// Returns the payload of a close frame.
std::string close_payload(int code, std::string_view reason = {});

// Returns the beginning of a frame with a payload of `length` bytes, without the payload.
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

  // Connects and requests the upgrade. `behind` is sent in one write with the request.
  RawWebsocket(int port, const Upgrade& upgrade, std::string_view behind = {});
  explicit RawWebsocket(int port);
  RawWebsocket(RawWebsocket&&) noexcept;
  ~RawWebsocket();

  // The lines of the answer, "HTTP/1.1 101 Switching Protocols\r\n...".
  const std::string& answer() const noexcept;
  bool is_open() const;  // whether the upgrade was accepted

  // Returns false if the daemon has closed the connection.
  bool send(std::string_view bytes);
  // Closes the connection for sending; it can still be read.
  void shut_down_sending();

  // Returns all frames until the daemon closes the connection, "pong(hi) ready error:bad-json
  // bye:error close(4400)". A text is shown as the type of its message, with code or reason. Throws
  // std::runtime_error if a frame of the daemon violates RFC 6455: masked, fragmented, with
  // reserved bits, or with a length that is not minimal.
  std::string rest(bool answer_close = true);
  // Returns the frames up to this one, such as "pong(hi)". Throws if the connection ends first.
  std::string up_to(std::string_view last);

 private:
  struct Socket;
  std::string next_frame();

  std::unique_ptr<Socket> socket_;
};

}  // namespace surtitle
