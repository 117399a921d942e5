// The parts that all streams and connections share: models, channels, journal, metrics, limits.
//
// It knows no stream. The registry of streams is above it (stream_registry.h).
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/environment.h"
#include "daemon/base/watchdog.h"
#include "daemon/channels/channel_registry.h"
#include "daemon/protocol/protocol.h"
#include "daemon/streams/channel_glossaries.h"
#include "daemon/streams/model_pool.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "daemon/translation/admission_controller.h"

namespace surtitle {

class Backplane;
class Journal;
class LogWriter;
class TranscriptArchive;

struct ServerOptions {
  protocol::Limits limits;  // sentence_tokens is set by add_model()
  int streams = 64;         // running ones, detached ones included, and those to be restored
  int viewers = 1024;
  Seconds start_seconds{30};       // from a sender's connection to its `start` message
  Seconds resume_timeout{30};      // how long a detached stream waits for its sender
  Seconds restore_at_once{1};      // time limit of the recovery before the daemon serves
  std::size_t restore_rows = 500;  // of the journal, per round of the recovery in the background
  ModelPoolOptions models;
  AdmissionOptions admission;
};

class ServerContext {
 public:
  using Post = ModelPool::Post;

  ServerContext(ServerOptions options, DaemonMetrics& metrics, Post post,
                Environment& environment = system_environment());
  ServerContext(const ServerContext&) = delete;
  ServerContext& operator=(const ServerContext&) = delete;
  ~ServerContext();

  // As ModelPool::add().
  void add_model(const ModelSource& source);
  // The journal of streams; by default there is none. It calls StreamRegistry::on_committed() and
  // not_journaled() by post().
  void use_journal(std::unique_ptr<Journal> journal);
  // The reader of the journal's transcripts; by default there is none.
  void use_archive(std::unique_ptr<TranscriptArchive> archive);
  // The connection to other replicas; by default there is none. REQUIRES: use_journal() is called,
  // too.
  void use_backplane(std::unique_ptr<Backplane> backplane);
  // The glossaries of channels; by default there are none.
  ChannelGlossaries& glossaries() noexcept { return glossaries_; }
  const ChannelGlossaries& glossaries() const noexcept { return glossaries_; }
  // The writer of streams' logs, which outlives this. nullptr, the default: none are written.
  void log_streams(LogWriter* writer) noexcept { stream_logs_ = writer; }
  // Stops the models, the journal, the archive and the backplane. Nothing is posted or called back
  // afterwards.
  void stop();

  const ServerOptions& options() const noexcept { return options_; }
  Environment& environment() const noexcept { return environment_; }
  TimePoint now() const { return environment_.now(); }
  // Queues a function for the network thread.
  void post(std::function<void()> work) const { post_(std::move(work)); }
  DaemonMetrics& metrics() noexcept { return metrics_; }
  AdmissionController& admission() noexcept { return admission_; }
  ChannelRegistry& channels() noexcept { return channels_; }
  const ChannelRegistry& channels() const noexcept { return channels_; }
  ModelPool& models() noexcept { return models_; }
  const ModelPool& models() const noexcept { return models_; }
  LogWriter* stream_logs() const noexcept { return stream_logs_; }
  Backplane* backplane() const noexcept { return backplane_.get(); }
  Journal* journal() const noexcept { return journal_.get(); }
  TranscriptArchive* archive() const noexcept { return archive_.get(); }
  bool journal_failing() const;  // streams wait for it; see Journal::failing()

  // The progress of the network thread.
  Breadcrumb& crumb() noexcept { return crumb_; }
  // The network thread has ended a round. Call a few times a second.
  void end_round(TimePoint now);
  // The threads for the watchdog: network, models' loops and journal. Valid until stop(). The
  // journal's thread is not vital: a new process would wait for the same disk.
  std::vector<Watchdog::Watched> watched() const;

  std::uint64_t next_stream_number() noexcept { return ++last_stream_; }
  std::string make_stream_name() const;  // random

 private:
  ServerOptions options_;  // sentence_tokens: the smallest of all models
  DaemonMetrics& metrics_;
  AdmissionController admission_;
  Breadcrumb crumb_;
  const Post post_;
  Environment& environment_;
  LogWriter* stream_logs_ = nullptr;
  ModelPool models_;
  ChannelGlossaries glossaries_;
  ChannelRegistry channels_;
  std::unique_ptr<Backplane> backplane_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<TranscriptArchive> archive_;
  std::uint64_t last_stream_ = 0;
};

}  // namespace surtitle
