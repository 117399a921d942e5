// Backends that replay a talk: on a daemon, or on a model in this process.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/websocket_url.h"
#include "daemon/replay/offline_models.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/timed_transcript.h"

namespace surtitle {

struct ReplayResult {
  RecordedRun run;  // of the first stream; its name is empty
  ReplayReport report{1};
  std::vector<std::string> warnings;
  std::optional<std::string> failure;
  bool all_failed = false;  // all streams failed
  bool stopped = false;     // a signal ended the replay
};

class ReplayBackend {
 public:
  ReplayBackend() = default;
  ReplayBackend(const ReplayBackend&) = delete;
  ReplayBackend& operator=(const ReplayBackend&) = delete;
  virtual ~ReplayBackend() = default;

  // Replays the talk. If `print`, prints the translation: that of a daemon as it arrives, that of a
  // model at the end.
  virtual ReplayResult play(const protocol::Start& start, const TimedTranscript& talk,
                            bool print) = 0;
};

struct DaemonBackendOptions {
  WebSocketUrl url;
  double speed = 1;  // infinite: as fast as possible
  int streams = 1;
  std::optional<double> duration = {};  // seconds, see ReplayPlan
  std::optional<double> warm_up = {};   // seconds, see ReplayPlan
  bool retry = false;                   // see ReplayPlan
  std::FILE* print = nullptr;           // receives the translation
};

class DaemonBackend : public ReplayBackend {
 public:
  explicit DaemonBackend(DaemonBackendOptions options) : options_(std::move(options)) {}
  ReplayResult play(const protocol::Start& start, const TimedTranscript& talk, bool print) override;

 private:
  const DaemonBackendOptions options_;
};

// Loads each model at the first play() that needs it.
class OfflineBackend : public ReplayBackend {
 public:
  // `model`: used if `start` does not name one.
  OfflineBackend(OfflineModels models, std::string model, std::FILE* print)
      : models_(std::move(models)), model_(std::move(model)), print_(print) {}
  ReplayResult play(const protocol::Start& start, const TimedTranscript& talk, bool print) override;

 private:
  OfflineModels models_;
  const std::string model_;
  std::FILE* const print_;
};

}  // namespace surtitle
