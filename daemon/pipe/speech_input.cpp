#include "daemon/pipe/speech_input.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kFirstMessage{5};  // within which the server must be ready

double seconds(std::int64_t bytes) {
  return static_cast<double>(bytes) / AudioInput::kBytesPerSecond;
}

std::string in_seconds(double time) { return json_number(std::round(time * 10) / 10) + " s"; }

}  // namespace

SpeechInput::SpeechInput(const asio::any_io_executor& executor, SpeechInputOptions options,
                         std::unique_ptr<AudioInput> audio)
    : executor_(executor),
      options_(std::move(options)),
      audio_(std::move(audio)),
      words_(executor, options_.url, options_.warn, [this] { on_connected(); }),
      first_message_(executor),
      wake_(executor) {}

// --- words ---

asio::awaitable<std::optional<std::string>> SpeechInput::read(
    std::optional<std::chrono::milliseconds> longest) {
  if (!protocol_ && !stopped_) {
    frame_ = co_await audio_->read();  // an error of the audio is found before any connection
  }
  std::optional<std::string> bytes = std::string();
  if (!done_ && !stopped_) {
    bytes = co_await words_.read(longest);
    if (bytes->empty()) {
      on_closed();
    } else {
      on_message(*bytes);
    }
  } else if (end_sent_) {
    co_await words_.client()->leave();
  }
  if (bytes->empty() && done_ && failed_) {
    std::rethrow_exception(failed_);
  }
  co_return bytes;
}

asio::awaitable<bool> SpeechInput::reopen() {
  if (done_ || stopped_) {
    co_return false;
  }
  lost_ = true;
  co_return co_await words_.reopen();
}

std::optional<double> SpeechInput::time_of(std::optional<double> given) {
  double time = seconds(position_);
  if (given) {
    time = seconds(opened_at_) + *given;
  } else if (const auto covered = protocol_->covered()) {
    time = std::min(time, seconds(opened_at_ + static_cast<std::int64_t>(*covered)));
  }
  last_word_time_ = std::max(last_word_time_.value_or(0), time);
  return time;
}

// --- the connection ---

void SpeechInput::on_connected() {
  const bool is_first = protocol_ == nullptr;
  protocol_ = options_.protocol->make();
  opening_ = protocol_->opening();
  if (protocol_->is_ready()) {
    set_open();
  } else {
    first_message_.expires_after(kFirstMessage);
    first_message_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && !self->open_) {
        self->problem_ = self->options_.url.text + " sent no config message within 5 s; is " +
                         std::string(self->options_.protocol->name) +
                         " running there? See --recogniser-protocol";
        self->words_.client()->close();
      }
    });
  }
  if (is_first) {
    asio::co_spawn(executor_, send_speech(),
                   [self = shared_from_this()](const std::exception_ptr& /*none*/) {});
  }
}

void SpeechInput::set_open() {
  open_ = true;
  first_message_.cancel();
  opened_at_ = position_;
  begin_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(seconds(position_)));
  if (std::exchange(lost_, false)) {
    options_.warn("the words from " + in_seconds(last_word_time_.value_or(0)) + " to " +
                  in_seconds(seconds(position_)) + " of " + audio_->name() + " may be missing");
  }
  wake_.notify();
}

void SpeechInput::on_message(std::string_view message) {
  message.remove_suffix(1);  // the newline of WebSocketInput
  protocol_->receive(message);
  done_ = protocol_->is_done();
  if (!open_ && !end_sent_ && protocol_->is_ready()) {
    set_open();
  }
}

void SpeechInput::on_closed() {
  open_ = false;
  first_message_.cancel();
  const WebSocketClient& client = *words_.client();
  done_ = stopped_ || (end_sent_ && client.closed_normally());
  if (done_) {
    return;
  }
  if (!problem_.empty()) {
    throw std::runtime_error(problem_);
  }
  if (end_sent_ || client.closed_normally() || client.closed_with_application_code()) {
    throw std::runtime_error("the connection to " + options_.url.text + " was " +
                             client.close_description() + " before all speech was recognised");
  }
}

void SpeechInput::finish() noexcept {
  if (!open_) {
    return stop();  // no speech is being recognised
  }
  finished_ = true;
  audio_->stop();
  wake_.notify();
}

void SpeechInput::stop() noexcept {
  stopped_ = true;
  audio_->stop();
  words_.stop();
  first_message_.cancel();
  wake_.notify();
}

// --- speech ---

asio::awaitable<void> SpeechInput::send_speech() {
  try {
    while (!frame_.empty() && !finished_) {
      co_await send_frame();
      frame_ = co_await audio_->read();
    }
  } catch (const std::exception&) {
    failed_ = std::current_exception();  // read() throws it after the words before it
  }
  while (!open_ && !stopped_) {
    co_await wake_.wait();
  }
  if (!stopped_) {
    end_sent_ = true;
    co_await send(protocol_->end());
  }
}

// Sends the frame at its time. The speech of a microphone is dropped if no server receives it.
asio::awaitable<void> SpeechInput::send_frame() {
  while (!audio_->live() && !finished_ && !stopped_ && (!open_ || Clock::now() < due())) {
    co_await wake_.wait(open_ ? due() : TimePoint::max());
  }
  if (open_) {
    co_await send(protocol_->speech(frame_));
  }
  position_ += static_cast<std::int64_t>(frame_.size());
}

asio::awaitable<void> SpeechInput::send(SpeechProtocol::Message message) {
  const std::shared_ptr<WebSocketClient> client = words_.client();
  if (const auto opening = std::exchange(opening_, std::nullopt)) {
    co_await client->send(opening->bytes);
  }
  bool sent = false;
  if (message.binary) {
    sent = co_await client->send_binary(std::move(message.bytes));
  } else {
    sent = co_await client->send(std::move(message.bytes));
  }
  open_ = open_ && (sent || client != words_.client());
}

TimePoint SpeechInput::due() const {
  const auto end = position_ + static_cast<std::int64_t>(frame_.size());
  return options_.fast ? TimePoint::min()
                       : begin_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds(end)));
}

}  // namespace surtitle
