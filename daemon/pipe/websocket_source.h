// A recogniser's WebSocket server as the input of `surtitle pipe`: its messages are the bytes, each
// with a newline at its end.
//
// A recogniser cannot say again what it said. Where its connection is cut, the bytes end, and go on
// with what it says on the next one.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "daemon/client/websocket_client.h"
#include "daemon/pipe/pipe_source.h"

namespace surtitle {

class WebSocketSource : public PipeSource {
 public:
  // Connects at the first read(). `warn` is told, in a sentence, of cuts.
  WebSocketSource(const asio::any_io_executor& executor, Url url,
                  std::function<void(const std::string&)> warn);

  // Never nothing: a message is whole as it comes. Throws where there is no such server at first.
  asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  // True once a server is there again after a cut, however long that takes; false where it closed
  // the connection in order, and after stop().
  asio::awaitable<bool> reopen() override;
  void stop() noexcept override;

 private:
  asio::awaitable<void> connect();
  asio::awaitable<bool> try_again();

  const Url url_;
  const std::function<void(const std::string&)> warn_;
  std::unique_ptr<WebSocketClient> client_;  // the next connection's, until it is there
  asio::steady_timer pause_;                 // before the next try
  bool connected_ = false;
  bool stopped_ = false;
};

}  // namespace surtitle
