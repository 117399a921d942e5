// `surtitle pipe` at work: what comes in goes to the daemon, its translation goes out.
//
// Thread-safety: none; everything runs on the executor's one thread, except for the reading of the
// input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/client.h"
#include "daemon/pipe_input.h"
#include "daemon/standard_input.h"
#include "daemon/stream_outcome.h"
#include "daemon/subtitle_printer.h"

namespace surtitle {

struct PipeOptions {
  Url url;
  protocol::Start start;
  PipeFormat input = PipeFormat::kText;
  PipeFormat output = PipeFormat::kText;
  int descriptor = 0;        // to read from
  std::FILE* out = nullptr;  // for the translation
  // Told, in a sentence, what does not end the stream.
  std::function<void(const std::string&)> warn;
};

class PipeRun : public std::enable_shared_from_this<PipeRun> {
 public:
  PipeRun(const asio::any_io_executor& executor, PipeOptions options);

  // Until all is translated, or nobody reads the output any more. Throws std::runtime_error with
  // one sentence. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> run();

  // At first as if the input had ended; a second time the connection is cut.
  void stop() noexcept;

 private:
  asio::awaitable<void> send_input(protocol::Limits limits);
  asio::awaitable<void> send_input(PipeInput& input);
  asio::awaitable<void> send(std::vector<protocol::ClientMessage>& messages);
  void take(std::string_view text);
  void take(const protocol::Ready& ready);
  void put_line(std::string_view text);

  const PipeOptions options_;
  Client client_;
  StandardInput input_;
  SubtitlePrinter printer_;
  StreamOutcome outcome_;
  std::int64_t sources_ = 0;   // source messages sent
  bool over_ = false;          // nothing more is to be sent
  bool stopped_ = false;       // once
  bool reader_left_ = false;   // of our output
  std::exception_ptr failed_;  // reading the input
};

}  // namespace surtitle
