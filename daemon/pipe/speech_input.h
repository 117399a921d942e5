// Input of `surtitle listen`: sends speech to a recogniser's WebSocket server, which returns words.
//
// A file is sent at the pace of speech, as if it was recorded now, or as fast as the server accepts
// it. The times of words are those of the speech from its beginning. If the connection is cut, a
// file waits, and a microphone's speech is lost until the connection is restored.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/base/clock.h"
#include "daemon/net/async_event.h"
#include "daemon/pipe/audio_input.h"
#include "daemon/pipe/pipe_input.h"
#include "daemon/pipe/speech_protocol.h"
#include "daemon/pipe/websocket_input.h"

namespace surtitle {

struct SpeechInputOptions {
  WebSocketUrl url;  // of the recogniser
  const SpeechProtocolRow* protocol = nullptr;
  bool fast = false;  // a file is not paced
  std::function<void(const std::string&)> warn;
};

class SpeechInput : public PipeInput, public std::enable_shared_from_this<SpeechInput> {
 public:
  SpeechInput(const asio::any_io_executor& executor, SpeechInputOptions options,
              std::unique_ptr<AudioInput> audio);

  // Throws if there is no speech, if the first connection fails, or if the server ends it before
  // all speech is recognised. REQUIRES: owned by a shared_ptr.
  asio::awaitable<std::optional<std::string>> read(
      std::optional<std::chrono::milliseconds> longest) override;
  asio::awaitable<bool> reopen() override;
  std::optional<double> time_of(std::optional<double> given) override;
  // Ends the speech. The words of the speech before are still read.
  void finish() noexcept override;
  void stop() noexcept override;

 private:
  void on_connected();
  void on_message(std::string_view message);
  void on_closed();
  void set_open();
  asio::awaitable<void> send_speech();
  asio::awaitable<void> send_frame();
  asio::awaitable<void> send(SpeechProtocol::Message message);
  TimePoint due() const;

  const asio::any_io_executor executor_;
  const SpeechInputOptions options_;
  const std::unique_ptr<AudioInput> audio_;
  WebSocketInput words_;
  std::unique_ptr<SpeechProtocol> protocol_;  // of the present connection; null before the first
  std::optional<SpeechProtocol::Message> opening_;  // is sent before anything else
  asio::steady_timer first_message_;      // the limit of the wait until the server is ready
  AsyncEvent wake_;                       // for send_speech()
  std::string frame_;                     // the next speech to send
  std::int64_t position_ = 0;             // bytes of speech before frame_
  std::int64_t opened_at_ = 0;            // position_ at the beginning of the connection
  TimePoint begin_;                       // when the speech at position 0 began
  std::optional<double> last_word_time_;  // time of the last words
  bool open_ = false;                     // the server receives speech
  bool lost_ = false;                     // the last connection was cut
  bool end_sent_ = false;
  bool done_ = false;          // all words were read
  bool finished_ = false;      // by finish()
  bool stopped_ = false;       // by stop()
  std::string problem_;        // why this side closed the connection
  std::exception_ptr failed_;  // error of the audio
};

}  // namespace surtitle
