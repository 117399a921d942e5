// The run of `surtitle pipe` and `surtitle listen`: sends the input to the daemon and writes its
// translation.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/client/resuming_client.h"
#include "daemon/pipe/pipe_input.h"
#include "daemon/pipe/simulstreaming_rows.h"
#include "daemon/recognisers/registry.h"
#include "daemon/terminal/subtitle_printer.h"

namespace surtitle {

enum class PipeOutput { kText, kJsonLines, kSimulStreaming };

struct PipeOptions {
  WebSocketUrl url;
  protocol::Start start;
  const RecogniserFormat* format = nullptr;  // of the input
  std::string input;                         // its name, for errors
  SpeechRule speech = {};                    // which marks, hesitations and labels count as words
  bool source_form_given = false;  // otherwise the form of the input replaces start.source_form
  PipeOutput output = PipeOutput::kText;
  std::FILE* out = nullptr;  // receives the translation
  // Receives warnings that do not end the stream, one sentence each.
  std::function<void(const std::string&)> warn;
  // Receives the messages of the daemon, if set.
  std::function<void(const protocol::ServerMessage&)> observe;
};

class PipeRun : public std::enable_shared_from_this<PipeRun> {
 public:
  PipeRun(const asio::any_io_executor& executor, PipeOptions options,
          std::shared_ptr<PipeInput> input);

  // Runs until all input is translated or the reader of the output has closed it. Cuts of the
  // connection do not end the run. Throws std::runtime_error with one sentence. REQUIRES: owned by
  // a shared_ptr.
  asio::awaitable<void> run();

  // The first call ends the input (PipeInput::finish). The second call closes the connection.
  void stop() noexcept;

 private:
  asio::awaitable<void> send_input(protocol::Limits limits);
  asio::awaitable<void> send_recognised(const RecogniserSettings& settings,
                                        MessageBuilder& builder);
  asio::awaitable<void> send_input(Recogniser& recogniser, MessageBuilder& builder);
  asio::awaitable<void> send(MessageBuilder& builder);
  void set_time(std::optional<double>& time);
  bool is_needed(const protocol::Configure& configure);
  void on_message(const ResumingClient::Received& received);
  void on_message(const protocol::Ready& ready);
  void on_message(const protocol::Write& write, std::string_view text);
  void on_message(const protocol::Sentence& sentence, std::string_view text);
  void on_message(const protocol::Revision& revision, std::string_view text);
  RowTimes row_times() const;
  // Text: a whole sentence of another track, between the sentences of the first one.
  void put_other_track(const protocol::Sentence& sentence);
  void put_later_lines();
  void put_line(std::string_view text);

  const asio::any_io_executor executor_;
  const PipeOptions options_;
  const std::shared_ptr<ResumingClient> client_;
  const std::shared_ptr<PipeInput> input_;
  SubtitlePrinter printer_;
  SimulStreamingRows rows_;
  TimePoint ready_;                      // time of the message ready
  std::optional<double> last_word_end_;  // end of the last words, seconds on the source's own clock
  std::size_t revised_words_ = 0;
  std::size_t untranslated_words_ = 0;
  std::size_t long_sentences_ = 0;        // sentences that the daemon divided
  std::vector<std::string> later_lines_;  // sentences of other tracks, while one is being written
  bool writing_ = false;                  // a sentence of the first track is open in the text
  TextForm source_form_;                  // of the words, as the daemon knows it
  TextForm reported_form_ = TextForm::kWritten;
  bool over_ = false;          // no further input is sent
  bool stopped_ = false;       // stop() was called once
  int output_error_ = 0;       // errno of a failed write; 0: none
  std::exception_ptr failed_;  // error of the input
};

}  // namespace surtitle
