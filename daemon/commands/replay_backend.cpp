#include "daemon/commands/replay_backend.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "daemon/replay/offline_stream.h"
#include "daemon/replay/replay_run.h"
#include "daemon/terminal/subtitle_printer.h"

namespace surtitle {
namespace {

void wait_for_interrupt(asio::signal_set& signals, ReplayRun& replay, bool& stopped) {
  signals.async_wait(
      [&signals, &replay, &stopped](const boost::system::error_code& error, int /*signal*/) {
        if (!error) {
          stopped = true;
          replay.stop();
          wait_for_interrupt(signals, replay, stopped);
        }
      });
}

// Runs the replay to its end. Returns true if a signal stopped it.
bool serve(asio::io_context& io, ReplayRun& replay) {
  bool stopped = false;
  asio::signal_set signals(io, SIGINT, SIGTERM);
  wait_for_interrupt(signals, replay, stopped);
  replay.begin([&signals] { signals.cancel(); });
  io.run();
  return stopped;
}

}  // namespace

ReplayResult DaemonBackend::play(const protocol::Start& start, const TimedTranscript& talk,
                                 bool print) {
  const ReplayPlan plan{.url = options_.url,
                        .start = start,
                        .transcript = talk,
                        .speed = options_.speed,
                        .streams = options_.streams,
                        .duration = options_.duration,
                        .warm_up = options_.warm_up,
                        .retry = options_.retry};
  SubtitlePrinter printer(options_.print, SubtitlePrinter::style_of(options_.print));
  RunRecorder recorder;
  asio::io_context io(1);
  ReplayRun replay(io.get_executor(), plan, {print ? &printer : nullptr, &recorder});
  ReplayResult result;
  result.stopped = serve(io, replay);
  printer.finish();
  if (const std::optional<protocol::Ready>& ready = replay.ready()) {
    result.run.model = ready->model.value_or("");
    result.run.policy = ready->policy.value_or("");
  }
  result.run.sentences = recorder.sentences();
  result.report = std::move(replay.report());
  result.warnings = replay.warnings();
  result.failure = replay.failure();
  result.all_failed = replay.all_failed();
  return result;
}

ReplayResult OfflineBackend::play(const protocol::Start& start, const TimedTranscript& talk,
                                  bool print) {
  protocol::Start here = start;
  here.model = start.model.value_or(model_);
  ReplayResult result;
  try {
    result.run = run_offline(models_, here, talk, result.report, result.warnings);
  } catch (const std::exception& error) {
    result.failure = error.what();
    result.all_failed = true;
  }
  for (const RecordedSentence& sentence : result.run.sentences) {
    if (print) {
      std::fprintf(print_, "%s\n", sentence.target.c_str());
    }
  }
  return result;
}

}  // namespace surtitle
