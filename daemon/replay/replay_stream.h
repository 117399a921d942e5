// One stream of a replay: sends a timed log at its pace and records the daemon's messages.
//
// Thread-safety: none; everything runs on the executor's one thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/client/client.h"
#include "daemon/client/stream_outcome.h"
#include "daemon/replay/delay_tracker.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/run_recorder.h"
#include "daemon/replay/timed_transcript.h"
#include "daemon/terminal/subtitle_printer.h"

namespace surtitle {

// The settings that all streams of a replay share.
struct ReplayPlan {
  WebSocketUrl url;
  protocol::Start start;
  TimedTranscript transcript;
  double speed = 1;  // infinite: as fast as possible
  int streams = 1;
  // Seconds of each stream, which repeats the log. nullopt: each stream sends the log once.
  std::optional<double> duration;
  // Seconds without measurement. If given, words and sentences count only between warm_up and
  // duration, both from the start of the first stream.
  std::optional<double> warm_up;
  // If the daemon rejects a stream as overloaded, retry after the time that it requests: until the
  // duration has passed, or without limit if there is none.
  bool retry = false;
};

// Returns the start of stream number `stream`, in seconds after the first stream. Copies of a log
// must not send the same word at the same time. Their starts are spread evenly (by the golden
// ratio) over the length of the log, at most 10 seconds and at most a quarter of the duration.
double stream_start(const ReplayPlan& plan, int stream);

// Returns the index of the first text that a stream sends. Streams that repeat the log begin at
// sentences scattered over it, so that their total work is constant over time. If the log changes
// models or policies, and for the first stream, the index is 0.
std::size_t first_text_of_stream(const ReplayPlan& plan, int stream);

// The part of a plan that differs between streams.
struct ReplayPart {
  TimePoint begin;
  std::size_t first_text = 0;
  TimePoint measured_from = TimePoint::min();
  TimePoint measured_to = TimePoint::max();
};

// Returns the part of stream number `stream` if the first stream begins at `begin`.
ReplayPart part_of_stream(const ReplayPlan& plan, int stream, TimePoint begin);

// Observers of a stream. Each may be nullptr.
struct ReplayWatchers {
  SubtitlePrinter* printer = nullptr;
  RunRecorder* recorder = nullptr;
};

class ReplayStream : public std::enable_shared_from_this<ReplayStream> {
 public:
  // REQUIRES: all arguments outlive the stream.
  ReplayStream(const asio::any_io_executor& executor, const ReplayPlan& plan, ReplayReport& report,
               ReplayWatchers watchers);

  // Runs until all is translated. Returns the reason of a failure in one sentence, or nullopt.
  // REQUIRES: owned by a shared_ptr.
  asio::awaitable<std::optional<std::string>> run(ReplayPart part);

  // Returns the warnings of the message ready, and those of this stream.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  // Returns the message ready, or nullopt before it is received.
  const std::optional<protocol::Ready>& ready() const noexcept { return ready_; }

  // The first call ends the log. The second call cuts the connection.
  void stop() noexcept;

 private:
  asio::awaitable<std::optional<std::string>> translate();
  asio::awaitable<bool> may_try_again();
  asio::awaitable<void> send_log(TimePoint begin);
  asio::awaitable<bool> send_text(const TimedText& timed, double pass_begin, TimePoint due);
  asio::awaitable<void> end_sentence();
  asio::awaitable<void> begin_again();
  asio::awaitable<bool> wait_until(TimePoint due);
  asio::awaitable<void> pause(TimePoint until);
  bool measured(TimePoint now) const noexcept;
  void on_message(std::string_view text);
  void on_message(const protocol::Ready& ready);
  void on_message(const protocol::Sentence& sentence);

  const ReplayPlan& plan_;
  ReplayReport& report_;
  const ReplayWatchers watchers_;
  std::optional<Client> client_;  // of the current attempt
  asio::steady_timer timer_;
  StreamOutcome outcome_;
  std::optional<DelayTracker> tracker_;  // set by the message ready
  std::optional<protocol::Ready> ready_;
  std::vector<std::string> warnings_;
  ReplayPart part_;
  TimePoint begin_;                     // of the log
  TimePoint until_ = TimePoint::max();  // end of the plan's duration
  std::int64_t seq_ = 0;
  bool stopped_ = false;
};

}  // namespace surtitle
