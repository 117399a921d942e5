// Interface of the protocols by which recognisers' servers receive speech over a WebSocket.
//
// An object serves one connection. Its messages are sent in this order: opening(), if any; speech()
// for each piece, once is_ready(); end(). All messages of the server pass through receive().
//
// Thread-safety: none; one owner.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/base/websocket_url.h"

namespace surtitle {

class SpeechProtocol {
 public:
  struct Message {
    std::string bytes;
    bool binary = true;
  };

  SpeechProtocol() = default;
  SpeechProtocol(const SpeechProtocol&) = delete;
  SpeechProtocol& operator=(const SpeechProtocol&) = delete;
  virtual ~SpeechProtocol() = default;

  virtual std::optional<Message> opening() const { return std::nullopt; }
  // Returns whether the server can receive speech.
  virtual bool is_ready() const { return true; }
  // `samples`: 16 bits, little-endian, one channel, 16 kHz; a whole number of them.
  virtual Message speech(std::string_view samples) = 0;
  virtual Message end() = 0;

  virtual void receive(std::string_view message) = 0;
  // Returns whether the server has sent all words. A server may close the connection instead.
  virtual bool is_done() const = 0;
  // Returns the bytes of speech() that the received messages cover, or nullopt if unknown.
  virtual std::optional<std::size_t> covered() const { return std::nullopt; }
};

struct SpeechProtocolRow {
  std::string_view name;  // also the name of the format of its words, see recognisers/registry.h
  std::unique_ptr<SpeechProtocol> (*make)();
  std::string_view path;  // a URL with this path has the protocol; empty: none
  std::string_view port;  // the server's default port; empty: none
};
std::span<const SpeechProtocolRow> speech_protocols();

// Returns nullptr for an unknown name.
const SpeechProtocolRow* speech_protocol_by_name(std::string_view name);
// Returns the protocol of a URL by its path, or its port if it has no path, or nullptr.
const SpeechProtocolRow* speech_protocol_of(const WebSocketUrl& url);

}  // namespace surtitle
