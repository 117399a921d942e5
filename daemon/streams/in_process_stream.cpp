#include "daemon/streams/in_process_stream.h"

#include <algorithm>
#include <utility>

#include "daemon/base/text.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kWordsOfMessage = 200;

}  // namespace

InProcessStream::InProcessStream(StreamRegistry& streams, const protocol::Start& start,
                                 const asio::any_io_executor& executor,
                                 std::shared_ptr<AuthenticatedClient> client)
    : sender_(streams, Stream::Kind::kEphemeral, std::move(client)), changed_(executor) {
  sender_.on_open(*this);
  send_to_stream(start);
}

InProcessStream::~InProcessStream() { sender_.on_close(/*on_purpose=*/true); }

asio::awaitable<void> InProcessStream::send_source(const std::string& text) {
  const std::vector<std::string_view> words = split_words(text);
  for (std::size_t begin = 0; begin < words.size() && !over_; begin += kWordsOfMessage) {
    while (!over_ && !sender_.may_read()) {
      co_await changed_.wait();
    }
    const std::size_t end = std::min(begin + kWordsOfMessage, words.size());
    send_to_stream(protocol::Source{++seq_, join_words(words, begin, end), std::nullopt});
  }
}

asio::awaitable<std::optional<protocol::ServerMessage>> InProcessStream::next() {
  while (messages_.empty() && !over_) {
    co_await changed_.wait();
  }
  if (messages_.empty()) {
    co_return std::nullopt;
  }
  protocol::ServerMessage message = std::move(messages_.front());
  messages_.pop_front();
  co_return message;
}

// When a sentence ends, a waiting one may enter the translator. So this repeats until no message
// arrives.
asio::awaitable<void> InProcessStream::wait_idle() {
  std::size_t messages = 0;
  while (!over_) {
    messages = messages_.size();
    bool idle = false;
    sender_.when_idle([&] {
      idle = true;
      changed_.notify();
    });
    while (!idle && !over_) {
      co_await changed_.wait();
    }
    if (messages_.size() == messages) {
      co_return;
    }
  }
}

void InProcessStream::send_to_stream(const protocol::ClientMessage& message) {
  if (!over_) {
    sender_.on_message(protocol::to_json(message), Clock::now());
  }
}

// Acknowledgements and metrics are dropped.
void InProcessStream::send(OutgoingText outgoing) {
  auto message = protocol::parse_server_message(*outgoing.text);
  auto* parsed = std::get_if<protocol::ServerMessage>(&message);
  if (parsed == nullptr || std::holds_alternative<protocol::Ack>(*parsed) ||
      std::holds_alternative<protocol::Metrics>(*parsed)) {
    return;
  }
  if (const auto* error = std::get_if<protocol::Error>(parsed);
      error != nullptr && !protocol::is_notice(error->code)) {
    error_ = *error;
  }
  messages_.push_back(std::move(*parsed));
  changed_.notify();
}

void InProcessStream::end(std::uint16_t /*close_code*/) {
  over_ = true;
  changed_.notify();
  if (when_over_) {
    std::exchange(when_over_, nullptr)();
  }
}

}  // namespace surtitle
