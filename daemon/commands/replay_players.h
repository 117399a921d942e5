// Who says a talk again: a daemon, or the model in this process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/offline_stream.h"
#include "daemon/recorded_run.h"
#include "daemon/replay_report.h"
#include "daemon/timed_log.h"
#include "daemon/url.h"

namespace surtitle {

struct Played {
  RecordedRun run;  // of the first stream, without a name
  ReplayReport report{1};
  std::vector<std::string> warnings;
  std::optional<std::string> failure;
  bool nothing = false;  // not one stream got through
  bool stopped = false;  // by a signal
};

class TalkPlayer {
 public:
  TalkPlayer() = default;
  TalkPlayer(const TalkPlayer&) = delete;
  TalkPlayer& operator=(const TalkPlayer&) = delete;
  virtual ~TalkPlayer() = default;

  // `print`: show the translation, a daemon's while it comes.
  virtual Played play(const protocol::Start& start, const TimedLog& talk, bool print) = 0;
};

struct DaemonPlayerOptions {
  Url url;
  double speed = 1;  // infinite: as fast as it goes
  int streams = 1;
  std::optional<double> duration;  // seconds, see ReplayPlan
  std::FILE* print = nullptr;      // where the translation is shown
};

class DaemonPlayer : public TalkPlayer {
 public:
  explicit DaemonPlayer(DaemonPlayerOptions options) : options_(std::move(options)) {}
  Played play(const protocol::Start& start, const TimedLog& talk, bool print) override;

 private:
  const DaemonPlayerOptions options_;
};

// The model is loaded by the first play.
class OfflinePlayer : public TalkPlayer {
 public:
  OfflinePlayer(std::filesystem::path package, TranslatorOptions options, std::FILE* print)
      : package_(std::move(package)), options_(std::move(options)), print_(print) {}
  Played play(const protocol::Start& start, const TimedLog& talk, bool print) override;

 private:
  const std::filesystem::path package_;
  const TranslatorOptions options_;
  std::FILE* const print_;
  std::unique_ptr<OfflineModel> model_;
};

}  // namespace surtitle
