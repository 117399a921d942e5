#include "daemon/websocket_source.h"

#include <stdexcept>
#include <utility>

namespace surtitle {

WebSocketSource::WebSocketSource(const asio::any_io_executor& executor, Url url)
    : url_(std::move(url)), client_(executor, {"a recogniser", {}}) {}

asio::awaitable<std::optional<std::string>> WebSocketSource::read(
    std::optional<std::chrono::milliseconds> /*longest*/) {
  if (stopped_) {
    co_return std::string();
  }
  if (!std::exchange(connected_, true)) {
    const std::string target = (url_.path.empty() ? "/" : url_.path) + url_.query;
    co_await client_.connect(url_, target);
  }
  while (const std::optional<std::string_view> message = co_await client_.read()) {
    if (!message->empty()) {
      co_return std::string(*message) + (message->ends_with('\n') ? "" : "\n");
    }
  }
  if (!stopped_ && !client_.ended_well()) {
    throw std::runtime_error("the connection to " + url_.text + " was " + client_.ending());
  }
  co_return std::string();
}

void WebSocketSource::stop() noexcept {
  stopped_ = true;
  client_.close();
}

}  // namespace surtitle
