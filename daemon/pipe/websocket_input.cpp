#include "daemon/pipe/websocket_input.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "daemon/base/backoff.h"

namespace surtitle {
namespace {

std::shared_ptr<WebSocketClient> new_client(const asio::any_io_executor& executor) {
  return std::make_shared<WebSocketClient>(executor, ServerKind{"a recogniser", {}});
}

}  // namespace

WebSocketInput::WebSocketInput(const asio::any_io_executor& executor, WebSocketUrl url,
                               std::function<void(const std::string&)> warn,
                               std::function<void()> on_connected)
    : url_(std::move(url)),
      warn_(std::move(warn)),
      on_connected_(std::move(on_connected)),
      client_(new_client(executor)),
      pause_(executor) {}

asio::awaitable<void> WebSocketInput::connect() {
  const std::string target = (url_.path.empty() ? "/" : url_.path) + url_.query;
  co_await client_->connect(url_, target);
  connected_ = true;
  on_connected_();
}

asio::awaitable<std::optional<std::string>> WebSocketInput::read(
    std::optional<std::chrono::milliseconds> /*longest*/) {
  if (stopped_) {
    co_return std::string();
  }
  if (!connected_) {
    co_await connect();
  }
  std::string bytes;
  while (bytes.empty()) {
    const std::optional<std::string_view> message = co_await client_->read();
    if (!message) {
      break;
    }
    bytes = *message;
  }
  bytes += bytes.empty() || bytes.ends_with('\n') ? "" : "\n";
  co_return bytes;
}

asio::awaitable<bool> WebSocketInput::reopen() {
  if (stopped_ || client_->closed_normally()) {
    co_return false;
  }
  warn_("the connection to " + url_.text + " was " + client_->close_description() +
        "; retrying until it succeeds or Ctrl-C ends the input");
  bool back = false;
  for (int tries = 0; !back && !stopped_; ++tries) {
    pause_.expires_after(backoff_delay(tries));
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    back = co_await try_again();
  }
  if (back) {
    warn_("the connection to " + url_.text +
          " was restored; words recognised meanwhile are missing");
  }
  co_return back;
}

asio::awaitable<bool> WebSocketInput::try_again() {
  if (stopped_) {
    co_return false;
  }
  client_ = new_client(client_->get_executor());
  try {
    co_await connect();
  } catch (const std::exception&) {
    co_return false;  // reopen() tries again
  }
  co_return !stopped_;
}

void WebSocketInput::stop() noexcept {
  stopped_ = true;
  pause_.cancel();
  client_->close();
}

}  // namespace surtitle
