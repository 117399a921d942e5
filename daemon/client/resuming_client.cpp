#include "daemon/client/resuming_client.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>
#include <exception>
#include <utility>
#include <variant>

#include "daemon/base/backoff.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"

namespace surtitle {
namespace {

using protocol::ErrorCode;

constexpr std::chrono::seconds kLeaveTime{1};

std::string in_seconds(double seconds) { return json_number(std::round(seconds * 10) / 10) + " s"; }

// Returns whether a resumption that was rejected with this error may succeed a moment later.
bool is_transient(const protocol::Error& error) {
  return error.code == ErrorCode::kDraining || error.code == ErrorCode::kTooManyStreams;
}

}  // namespace

ResumingClient::ResumingClient(const asio::any_io_executor& executor, ResumingClientOptions options)
    : executor_(executor),
      options_(std::move(options)),
      client_(std::make_shared<Client>(executor)),
      work_(executor),
      room_(executor),
      pause_(executor) {}

asio::awaitable<void> ResumingClient::open() {
  const auto self = shared_from_this();
  const std::shared_ptr<Client> client = client_;
  client->set_idle_time(options_.idle);
  co_await client->connect(options_.url, "/v1/stream");
  connected_ = true;
  protocol::Start start = options_.start;
  if (resume_) {
    start.resume = protocol::Resume{stream_, resume_->key, outcome_.acknowledged(), event_};
  }
  const protocol::ClientMessage message = start;
  co_await client->send(message);
}

// --- out ---

asio::awaitable<bool> ResumingClient::send(const protocol::ClientMessage& message) {
  const auto self = shared_from_this();
  unacked_.add(message, resume_.has_value());
  if (std::holds_alternative<protocol::Finish>(message)) {
    outcome_.finish_sent(unacked_.last_seq());
  }
  work_.cancel();
  while (!over_ && unacked_.words() > queued_words_) {
    co_await wait(room_);
  }
  co_return !over_;
}

void ResumingClient::begin_writing() {
  asio::co_spawn(executor_, write(), [](const std::exception_ptr&) {});
}

// Sends the queue on one connection, until another connection takes its place.
asio::awaitable<void> ResumingClient::write() {
  const auto self = shared_from_this();
  const std::shared_ptr<Client> client = client_;
  bool sent = true;
  while (sent && client == client_ && !over_) {
    const std::string* next = unacked_.next();
    if (next == nullptr) {
      co_await wait(work_);
      continue;
    }
    const std::string text = *next;
    unacked_.sent();
    sent = co_await client->send_text(text);
    if (!resume_) {
      unacked_.remove_sent();
      room_.cancel();
    }
  }
}

// --- in ---

asio::awaitable<std::optional<ResumingClient::Received>> ResumingClient::read() {
  const auto self = shared_from_this();
  std::optional<Received> received;
  while (!received && !over_) {
    const std::optional<std::string_view> text = co_await client_->read();
    if (!text) {
      const bool back = co_await reconnect();
      over_ = over_ || !back;
      continue;
    }
    std::optional<protocol::ServerMessage> message = outcome_.receive(*text);
    unacked_.ack(resume_ ? outcome_.acknowledged() : 0);
    room_.cancel();
    if (message) {
      on_message(*message);
      received = Received{*std::move(message), *text};
    }
  }
  if (over_) {
    work_.cancel();
    room_.cancel();
  }
  co_return received;
}

void ResumingClient::on_message(const protocol::ServerMessage& message) {
  event_ = std::max(event_, protocol::event_of(message));
  if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    resume_ = ready->resume;
    stream_ = ready->stream.value_or("");
    queued_words_ = ready->limits.queued_words;
    begin_writing();
  } else if (const auto* error = std::get_if<protocol::Error>(&message)) {
    ended_ = ended_ || !protocol::is_notice(error->code);
  } else if (std::holds_alternative<protocol::Bye>(message)) {
    ended_ = true;
  }
}

// --- after a cut ---

// Returns whether there is another connection.
asio::awaitable<bool> ResumingClient::reconnect() {
  if (ended_ || over_ || !resume_) {
    co_return false;
  }
  const TimePoint lost_at = Clock::now();
  const TimePoint until = lost_at + to_duration(Seconds(resume_->seconds));
  why_ = client_->close_description();
  options_.warn(connection() + " was " + why_ + "; retrying for " + in_seconds(resume_->seconds));
  bool back = false;
  for (int tries = 0; !back && !over_ && Clock::now() < until; ++tries) {
    client_->close();  // pending writes to it return
    client_ = std::make_shared<Client>(executor_);
    connected_ = false;
    work_.cancel();
    pause_.expires_at(std::min(until, Clock::now() + backoff_delay(tries)));
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (!over_) {
      back = co_await try_again(lost_at);
    }
  }
  reconnect_timed_out_ = !back && !over_;
  co_return back;
}

// Returns whether the daemon has answered, if only by a permanent error.
asio::awaitable<bool> ResumingClient::try_again(TimePoint lost_at) {
  try {
    co_await open();
  } catch (const std::exception& failure) {
    problem_ = failure.what();
    co_return false;
  }
  if (over_) {  // closed meanwhile
    client_->close();
    co_return false;
  }
  const std::optional<std::string_view> text = co_await client_->read();
  if (!text) {
    problem_ = connection() + " was " + client_->close_description();
    co_return false;
  }
  const auto parsed = protocol::parse_server_message(*text);
  const auto* message = std::get_if<protocol::ServerMessage>(&parsed);
  const auto* error = message == nullptr ? nullptr : std::get_if<protocol::Error>(message);
  if (error != nullptr && is_transient(*error)) {
    problem_ = error->message;
    co_return false;
  }
  if (const auto* ready = message == nullptr ? nullptr : std::get_if<protocol::Ready>(message)) {
    on_resumed(*ready, lost_at);
  } else {
    outcome_.receive(*text);
    ended_ = true;
  }
  co_return true;
}

void ResumingClient::on_resumed(const protocol::Ready& ready, TimePoint lost_at) {
  queued_words_ = ready.limits.queued_words;
  const std::size_t again = unacked_.rewind(ready.resume ? ready.resume->seq.value_or(0) : 0);
  options_.warn(connection() + " was restored after " +
                in_seconds(Seconds(Clock::now() - lost_at).count()) + "; resending " +
                counted(again, "message"));
  for (const std::string& warning : ready.warnings) {
    options_.warn(warning);
    data_loss_ = warning;
  }
  begin_writing();
}

std::optional<std::string> ResumingClient::failure() const {
  const std::optional<std::string> failure =
      outcome_.failure(options_.url.text, close_description());
  return failure || data_loss_.empty() ? failure
                                       : "data was lost when the connection was cut: " + data_loss_;
}

std::string ResumingClient::close_description() const {
  if (reconnect_timed_out_) {
    return why_ + "; it could not be restored within " + in_seconds(resume_->seconds) + ": " +
           problem_;
  }
  return closed_ ? "closed before all input was translated" : client_->close_description();
}

void ResumingClient::close() {
  if (!std::exchange(over_, true)) {
    closed_ = true;
    work_.cancel();
    room_.cancel();
    pause_.cancel();
    asio::co_spawn(executor_, leave(), [](const std::exception_ptr&) {});
  }
}

// Closes the connection in order, so that the daemon does not wait for the sender. If the daemon
// does not answer in time, cuts the connection.
asio::awaitable<void> ResumingClient::leave() {
  const auto self = shared_from_this();
  const std::shared_ptr<Client> client = client_;
  if (connected_) {
    asio::steady_timer longest(executor_, kLeaveTime);
    longest.async_wait([client](const boost::system::error_code& error) {
      if (!error) {
        client->close();
      }
    });
    co_await client->leave();
  }
  client->close();
}

asio::awaitable<void> ResumingClient::wait(asio::steady_timer& timer) {
  timer.expires_at(TimePoint::max());
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace surtitle
