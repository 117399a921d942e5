#include "daemon/pipe_run.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

namespace surtitle {

PipeRun::PipeRun(const asio::any_io_executor& executor, PipeOptions options)
    : options_(std::move(options)),
      client_(executor),
      input_(options_.descriptor),
      printer_(options_.out, SubtitlePrinter::Style::kPlain) {}

asio::awaitable<void> PipeRun::run() {
  co_await client_.connect(options_.url, "/v1/stream");
  const protocol::ClientMessage start = options_.start;
  co_await client_.send(start);
  while (std::optional<std::string_view> text = co_await client_.read()) {
    take(*text);
  }
  over_ = true;
  input_.stop();
  if (options_.output == PipeFormat::kText) {
    printer_.finish();
  }
  if (reader_left_ || printer_.broken()) {
    co_return;
  }
  if (failed_) {
    std::rethrow_exception(failed_);
  }
  if (const auto failure = outcome_.failure(options_.url.text, client_.ending())) {
    throw std::runtime_error(*failure);
  }
}

void PipeRun::stop() noexcept {
  input_.stop();
  if (std::exchange(stopped_, true)) {
    client_.close();
  }
}

// --- in ---

asio::awaitable<void> PipeRun::send_input(protocol::Limits limits) {
  PipeInput input(options_.input, limits.message_bytes, limits.queued_words);
  try {
    co_await send_input(input);
  } catch (const std::exception&) {
    failed_ = std::current_exception();  // told when all before it is translated
  }
  if (input.replaced() > 0) {
    options_.warn("standard input is not all UTF-8; what is not became U+FFFD");
  }
  outcome_.finish_sent(sources_);
  const protocol::ClientMessage finish = protocol::Finish();
  co_await client_.send(finish);
}

asio::awaitable<void> PipeRun::send_input(PipeInput& input) {
  std::vector<protocol::ClientMessage> messages;
  while (!over_) {
    const std::string bytes = co_await input_.read();
    std::exception_ptr wrong;
    try {
      if (bytes.empty()) {
        input.finish(messages);
      } else {
        input.feed(bytes, messages);
      }
    } catch (const std::exception&) {
      wrong = std::current_exception();
    }
    co_await send(messages);
    if (wrong) {
      std::rethrow_exception(wrong);
    }
    if (bytes.empty()) {
      co_return;
    }
  }
}

asio::awaitable<void> PipeRun::send(std::vector<protocol::ClientMessage>& messages) {
  for (const protocol::ClientMessage& message : messages) {
    sources_ += std::holds_alternative<protocol::Source>(message) ? 1 : 0;
    const bool sent = co_await client_.send(message);
    over_ = over_ || !sent;
  }
  messages.clear();
}

// --- out ---

void PipeRun::take(std::string_view text) {
  const std::optional<protocol::ServerMessage> message = outcome_.receive(text);
  if (!message) {
    return;
  }
  const bool as_lines = options_.output == PipeFormat::kJsonLines;
  if (const auto* ready = std::get_if<protocol::Ready>(&*message)) {
    take(*ready);
  } else if (const auto* write = std::get_if<protocol::Write>(&*message)) {
    as_lines ? put_line(text) : printer_.write(*write);
  } else if (const auto* sentence = std::get_if<protocol::Sentence>(&*message)) {
    as_lines ? put_line(text) : printer_.sentence(*sentence);
  } else if (const auto* error = std::get_if<protocol::Error>(&*message);
             error != nullptr && protocol::is_notice(error->code)) {
    options_.warn(error->message);
  }
  if (reader_left_ || printer_.broken()) {
    client_.close();
  }
}

void PipeRun::take(const protocol::Ready& ready) {
  for (const std::string& warning : ready.warnings) {
    options_.warn(warning);
  }
  asio::co_spawn(client_.get_executor(), send_input(ready.limits),
                 [self = shared_from_this()](const std::exception_ptr&) {});
}

void PipeRun::put_line(std::string_view text) {
  reader_left_ = std::fwrite(text.data(), 1, text.size(), options_.out) != text.size() ||
                 std::fputc('\n', options_.out) == EOF || std::fflush(options_.out) != 0;
}

}  // namespace surtitle
