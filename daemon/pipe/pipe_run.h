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
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/clock.h"
#include "daemon/client/resuming_client.h"
#include "daemon/pipe/pipe_source.h"
#include "daemon/pipe/simulstreaming_rows.h"
#include "daemon/recognisers/registry.h"
#include "daemon/terminal/subtitle_printer.h"

namespace surtitle {

enum class PipeOutput { kText, kJsonLines, kSimulStreaming };

struct PipeOptions {
  Url url;
  protocol::Start start;
  const RecogniserFormat* format = nullptr;  // of the input
  std::optional<Url> from;                   // a recogniser's server in the place of `descriptor`
  int descriptor = 0;                        // to read from
  PipeOutput output = PipeOutput::kText;
  std::FILE* out = nullptr;  // for the translation
  // Receives, in a sentence, what does not end the stream.
  std::function<void(const std::string&)> warn;
};

class PipeRun : public std::enable_shared_from_this<PipeRun> {
 public:
  PipeRun(const asio::any_io_executor& executor, PipeOptions options);

  // Until all is translated, over cuts of the connection, or nobody reads the output any more.
  // Throws std::runtime_error with one sentence. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> run();

  // At first as if the input had ended; a second time the connection is cut.
  void stop() noexcept;

 private:
  asio::awaitable<void> send_input(protocol::Limits limits);
  asio::awaitable<void> send_recognised(const RecogniserSettings& settings,
                                        MessageBuilder& builder);
  asio::awaitable<void> send_input(Recogniser& recogniser, MessageBuilder& builder);
  asio::awaitable<void> send(MessageBuilder& builder);
  void on_message(const ResumingClient::Received& received);
  void on_message(const protocol::Ready& ready);
  void on_message(const protocol::Write& write, std::string_view text);
  void on_message(const protocol::Sentence& sentence, std::string_view text);
  void on_message(const protocol::Revision& revision, std::string_view text);
  RowTimes row_times() const;
  void put_line(std::string_view text);

  const asio::any_io_executor executor_;
  const PipeOptions options_;
  const std::shared_ptr<ResumingClient> client_;
  const std::unique_ptr<PipeSource> input_;
  SubtitlePrinter printer_;
  SimulStreamingRows rows_;
  TimePoint ready_;                    // when the stream began
  std::optional<double> heard_until_;  // on the source's own clock
  std::size_t revised_words_ = 0;
  bool over_ = false;          // nothing more is to be sent
  bool stopped_ = false;       // once
  int output_error_ = 0;       // errno, once the translation cannot be written
  std::exception_ptr failed_;  // reading the input
};

}  // namespace surtitle
