// Streams without a daemon: the daemon's own plan, session and batching loop in this process, on a
// clock that is the log's.
//
// Words come at the log's times and a translation takes no time at all: after each message all is
// written that the policy allows. So a run depends on the talk, the model and the policy alone, and
// its words are the daemon's.
//
// Thread-safety: none; one owner. The model runs on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/batch_loop.h"
#include "daemon/protocol.h"
#include "daemon/recorded_run.h"
#include "daemon/replay_report.h"
#include "daemon/run_recorder.h"
#include "daemon/session.h"
#include "daemon/stream_plan.h"
#include "daemon/timed_log.h"
#include "model/translator.h"

namespace surtitle {

class OfflineModel {
 public:
  // Loads a package. Throws std::runtime_error with one line.
  OfflineModel(const std::filesystem::path& package, const TranslatorOptions& options);

  const ModelInfo& info() const noexcept { return loop_->info(); }
  const Tokenizers& tokenizers() const noexcept { return tokenizers_; }

  // Hands commands over and waits until nothing more can be written.
  std::vector<TranslationEvent> translate(std::vector<TranslationCommand> commands);
  void give_up(const std::vector<SentenceKey>& sentences) { loop_->close(sentences); }

  std::uint64_t next_stream() noexcept { return ++streams_; }

 private:
  const Tokenizers tokenizers_;
  std::uint64_t streams_ = 0;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable settled_;
  std::vector<TranslationEvent> events_;
  bool is_settled_ = false;

  std::unique_ptr<BatchLoop> loop_;  // last: ends before what it tells
};

// As a stream whose `start` is the one given and which says the talk once; sentences end after a
// silence of the log's, as the daemon's do. `report` is told of sentences, and of no delay: there
// is none. Throws std::runtime_error where the stream would end in an error, and with what the
// daemon says of a `start` that cannot be. `warnings` of ready are added. The run has no name.
RecordedRun run_offline(OfflineModel& model, const protocol::Start& start, const TimedLog& talk,
                        ReplayReport& report, std::vector<std::string>& warnings);

}  // namespace surtitle
