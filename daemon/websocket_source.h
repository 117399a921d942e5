// A recogniser's WebSocket server as the input of `surtitle pipe`: its messages are the bytes, each
// with a newline at its end.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include "daemon/pipe_source.h"
#include "daemon/websocket_client.h"

namespace surtitle {

class WebSocketSource : public PipeSource {
 public:
  // Connects at the first read().
  WebSocketSource(const asio::any_io_executor& executor, Url url);

  // Never nothing: a message is whole as it comes. Throws where there is no such server, and where
  // the connection was lost.
  asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  void stop() noexcept override;

 private:
  const Url url_;
  WebSocketClient client_;
  bool connected_ = false;
  bool stopped_ = false;
};

}  // namespace surtitle
