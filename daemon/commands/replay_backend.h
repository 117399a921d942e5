// The backends that replay a talk: a daemon, or the model in this process.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/url.h"
#include "daemon/replay/offline_models.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/timed_transcript.h"

namespace surtitle {

struct ReplayResult {
  RecordedRun run;  // of the first stream, without a name
  ReplayReport report{1};
  std::vector<std::string> warnings;
  std::optional<std::string> failure;
  bool nothing = false;  // not one stream got through
  bool stopped = false;  // by a signal
};

class ReplayBackend {
 public:
  ReplayBackend() = default;
  ReplayBackend(const ReplayBackend&) = delete;
  ReplayBackend& operator=(const ReplayBackend&) = delete;
  virtual ~ReplayBackend() = default;

  // `print`: show the translation, a daemon's while it comes.
  virtual ReplayResult play(const protocol::Start& start, const TimedTranscript& talk,
                            bool print) = 0;
};

struct DaemonBackendOptions {
  Url url;
  double speed = 1;  // infinite: as fast as it goes
  int streams = 1;
  std::optional<double> duration;  // seconds, see ReplayPlan
  std::optional<double> warm_up;   // likewise
  bool retry = false;              // likewise
  std::FILE* print = nullptr;      // where the translation is shown
};

class DaemonBackend : public ReplayBackend {
 public:
  explicit DaemonBackend(DaemonBackendOptions options) : options_(std::move(options)) {}
  ReplayResult play(const protocol::Start& start, const TimedTranscript& talk, bool print) override;

 private:
  const DaemonBackendOptions options_;
};

// Models are loaded by the first play that needs them.
class OfflineBackend : public ReplayBackend {
 public:
  // `model` where `start` names none.
  OfflineBackend(OfflineModels models, std::string model, std::FILE* print)
      : models_(std::move(models)), model_(std::move(model)), print_(print) {}
  ReplayResult play(const protocol::Start& start, const TimedTranscript& talk, bool print) override;

 private:
  OfflineModels models_;
  const std::string model_;
  std::FILE* const print_;
};

}  // namespace surtitle
