// One stream of a replay: says a timed log at its pace and takes down what comes back.
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

// What all streams of a replay share.
struct ReplayPlan {
  Url url;
  protocol::Start start;
  TimedTranscript log;
  double speed = 1;  // infinite: as fast as it goes
  int streams = 1;
  // Seconds of every stream, which says the log again and again; without it, it is said once.
  std::optional<double> duration;
  // Seconds. With it, only words and sentences between warm_up and duration count, both from the
  // first stream's begin.
  std::optional<double> warm_up;
  // Who is told that the daemon is overloaded comes again when it says, for as long as the
  // duration.
  bool retry = false;
};

// When stream number `stream` begins, in seconds after the first. Copies of one log must not say
// the same word at the same time, so the beginnings lie scattered evenly (by the golden ratio) over
// the log, over 10 seconds at most and over a quarter of the duration at most.
double begin_of_stream(const ReplayPlan& plan, int stream);

// The text of the log that it begins with. Streams that say the log again and again are scattered
// over its sentences, so that together they are always as much work; unless the log changes models
// or policies on its way. The first stream begins at the beginning.
std::size_t first_text_of_stream(const ReplayPlan& plan, int stream);

// Of the plan what is one stream's.
struct ReplayPart {
  TimePoint begin;
  std::size_t first_text = 0;
  TimePoint measured_from = TimePoint::min();
  TimePoint measured_to = TimePoint::max();
};

// Of stream number `stream`, where the first one begins at `begin`.
ReplayPart part_of_stream(const ReplayPlan& plan, int stream, TimePoint begin);

// Who is shown a stream; each may be nullptr.
struct ReplayWatchers {
  SubtitlePrinter* printer = nullptr;
  RunRecorder* recorder = nullptr;
};

class ReplayStream : public std::enable_shared_from_this<ReplayStream> {
 public:
  // All must outlive the stream.
  ReplayStream(const asio::any_io_executor& executor, const ReplayPlan& plan, ReplayReport& report,
               ReplayWatchers watchers);

  // Until all is translated. Returns one sentence that says why it failed, or nothing. REQUIRES:
  // owned by a shared_ptr.
  asio::awaitable<std::optional<std::string>> run(ReplayPart part);

  // What the daemon warned of when it was ready.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  // What it said then, if it did.
  const std::optional<protocol::Ready>& ready() const noexcept { return ready_; }

  // At first as if the log had ended; a second time the connection is cut.
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
  std::optional<Client> client_;  // of this try
  asio::steady_timer timer_;
  StreamOutcome outcome_;
  std::optional<DelayTracker> tracker_;  // once ready
  std::optional<protocol::Ready> ready_;
  std::vector<std::string> warnings_;
  ReplayPart part_;
  TimePoint begin_;                     // of the log
  TimePoint until_ = TimePoint::max();  // of the plan's duration
  std::int64_t seq_ = 0;
  bool stopped_ = false;
};

}  // namespace surtitle
