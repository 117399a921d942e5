// The state that all connections share: models, channels, streams, limits and draining.
//
// Connections enter and leave the hub; streams outlive their connections in it. The batch loops of
// the models, the journal and the backplane call it back on the network thread.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "daemon/backplane/backplane_host.h"
#include "daemon/base/breadcrumb.h"
#include "daemon/base/environment.h"
#include "daemon/base/watchdog.h"
#include "daemon/channels/channel_registry.h"
#include "daemon/protocol/protocol.h"
#include "daemon/streams/model_pool.h"
#include "daemon/streams/stream_info.h"
#include "daemon/streams/stream_recovery.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "daemon/translation/admission_controller.h"
#include "daemon/translation/translation_command.h"

namespace surtitle {

class Backplane;
class Journal;
class LogWriter;
class Stream;
class StreamSender;
class Viewer;

struct HubOptions {
  protocol::Limits limits;  // sentence_tokens is set by add_model()
  int streams = 64;         // running ones, detached ones included, and those to be restored
  int viewers = 1024;
  Seconds start_seconds{30};       // from a sender's connection to its `start` message
  Seconds resume_timeout{30};      // how long a detached stream waits for its sender
  Seconds restore_at_once{1};      // of recovery before the first client, see Hub::restore()
  std::size_t restore_rows = 500;  // of the journal, per turn of the recovery in the background
  ModelPoolOptions models;
  AdmissionOptions admission;
};

class Hub final : public BackplaneHost {
 public:
  using Post = ModelPool::Post;

  Hub(HubOptions options, DaemonMetrics& metrics, Post post,
      Environment& environment = system_environment());
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;
  ~Hub();

  // As ModelPool::add().
  void add_model(const ModelSource& source);
  // Stops the models, the journal and the backplane. Nothing is posted or called back afterwards;
  // connections may still leave.
  void stop();

  // The writer of streams' logs, which outlives the hub. nullptr, the default: none are written.
  void log_streams(LogWriter* writer) noexcept { stream_logs_ = writer; }
  LogWriter* stream_logs() const noexcept { return stream_logs_; }

  // The journal of streams; by default there is none. It calls stored() and not_journaled() by
  // `post`.
  void use_journal(std::unique_ptr<Journal> journal);
  Journal* journal() const noexcept { return journal_.get(); }
  bool journal_failing() const;  // streams wait for it; see Journal::failing()
  // The journal has committed one more entry of a stream for each time that it is named here.
  void stored(const std::vector<std::uint64_t>& streams);
  // The journal lacks the first entry of this stream and accepts no others. Ends the stream.
  void not_journaled(std::uint64_t stream);
  // Restores the streams that another process left; see StreamRecovery. REQUIRES: all models are
  // added.
  //
  // Restores for restore_at_once, then a few rows at a time in the background. A stream that a
  // client needs is restored at once. With a backplane, all streams are restored before this
  // returns. Throws if one of the first streams cannot be read. Later failures are logged.
  void restore(RecoverableStreams left);
  // Restores the streams that another process left on this channel. Call before reading it.
  void restore_channel(const std::string& channel);

  // The connection to other replicas; by default there is none. REQUIRES: use_journal() was called.
  void use_backplane(std::unique_ptr<Backplane> backplane);
  Backplane* backplane() const noexcept { return backplane_.get(); }
  void on_ownership_lost(const std::string& stream, bool failed_over) override;
  void on_channel_refused(const std::string& stream) override;
  void adopt(const StreamHistory& history, Fence fence) override;
  void remember_ended_elsewhere(StreamHistory history) override;
  // The stream has its channel on this replica, whose viewers no longer read it from Redis.
  void publish_channel(const Stream& stream);
  // Reports to other replicas that the stream was detached, or attached.
  void publish_detached(const Stream& stream, bool detached);

  // When tick() is due for detached and ended streams, or nullopt. rearm() calls the callback: the
  // deadline may have changed.
  std::optional<TimePoint> deadline() const;
  void tick(TimePoint now);
  void on_deadline_changed(std::function<void()> changed) {
    on_deadline_changed_ = std::move(changed);
  }
  void rearm() const;

  const HubOptions& options() const noexcept { return options_; }
  Environment& environment() const noexcept { return environment_; }
  TimePoint now() const { return environment_.now(); }
  DaemonMetrics& metrics() noexcept { return metrics_; }
  Admission& admission() noexcept { return admission_; }
  // The network thread has ended a turn. Call a few times a second.
  void end_turn(TimePoint now);
  // The progress of the network thread.
  Breadcrumb& crumb() noexcept { return crumb_; }
  // The threads for the watchdog: network, models' loops and journal. Valid until stop(). The
  // journal's thread is not vital: a new process would wait for the same disk.
  std::vector<Watchdog::Watched> watched() const;
  ChannelRegistry& channels() noexcept { return channels_; }
  const ChannelRegistry& channels() const noexcept { return channels_; }

  ModelPool& models() noexcept { return models_; }
  const ModelPool& models() const noexcept { return models_; }

  // The way in which a drain ends running streams.
  enum class DrainMode {
    kFinish,   // they end as if their senders had sent `finish`
    kHandOff,  // journaled streams are cut off, and the next process continues them
  };
  // Rejects new streams, ends or hands off the running ones, then disconnects the viewers.
  // `drained` is called once all connections have sent their last message.
  void drain(DrainMode mode, std::function<void()> drained);
  bool draining() const noexcept override { return draining_; }
  // Clears the callbacks, whose owners are about to be destroyed.
  void clear_callbacks() noexcept;

  // Held by a connection until its last message is sent. A drain waits for all of them.
  class DrainGuard {
   public:
    explicit DrainGuard(Hub& hub) : hub_(hub) { ++hub_.drain_guards_; }
    DrainGuard(const DrainGuard&) = delete;
    DrainGuard& operator=(const DrainGuard&) = delete;
    ~DrainGuard() {
      --hub_.drain_guards_;
      hub_.go_on_draining();
    }

   private:
    Hub& hub_;
  };

  // Held by a connection that waits for its response, or whose request is still arriving. A daemon
  // that has drained waits a moment for these.
  class PendingRequestGuard {
   public:
    explicit PendingRequestGuard(Hub& hub) : hub_(hub) { ++hub_.pending_requests_; }
    PendingRequestGuard(const PendingRequestGuard&) = delete;
    PendingRequestGuard& operator=(const PendingRequestGuard&) = delete;
    ~PendingRequestGuard() { --hub_.pending_requests_; }

   private:
    Hub& hub_;
  };
  bool has_pending_requests() const noexcept { return pending_requests_ > 0; }

  // Register a sender without a stream, or a viewer, until it leaves. Return false if there are too
  // many. More senders than streams are allowed, as some of them resume a detached stream.
  bool enter(StreamSender& sender);
  bool enter(Viewer& viewer);
  void leave(StreamSender& sender);
  void leave(Viewer& viewer);
  // Registers a stream until it leaves. REQUIRES: not full(). `fence`: of its ownership, for the
  // backplane; 0: not known.
  void enter(const std::shared_ptr<Stream>& stream, Fence fence = Fence(1));
  void leave(Stream& stream);
  // Keeps a stream that has ended for resume_timeout, as its sender may resume it.
  void keep_ended(const std::shared_ptr<Stream>& stream);
  // Updates the number of streams in the metrics. Call when the recovery changes it.
  void count_streams();
  bool full() const override;
  protocol::Error too_many_streams() const;

  std::vector<StreamInfo> views() const;  // of the streams that run
  // Returns the running or ended stream, or nullptr if there is none. Restores it from the journal
  // first if it waits there.
  std::shared_ptr<Stream> stream(const std::string& name);
  // Returns the detached stream on this channel, or nullptr if there is none.
  std::shared_ptr<Stream> find_detached_on(const std::string& channel);
  // Ends a detached stream, as a new stream claims its channel.
  void displace(const std::shared_ptr<Stream>& stream) noexcept;

  std::uint64_t next_stream_number() noexcept { return ++last_stream_; }
  std::string make_stream_name() const;  // random

 private:
  void deliver(const std::vector<TranslationEvent>& events);
  template <class Work>
  void for_each_stream(const Work& work);
  void restore_rest();
  void inbox_has_room();
  void go_on_draining();
  void release_ownership(const std::string& name, const std::optional<protocol::Error>& error);

  HubOptions options_;  // sentence_tokens: the smallest of all models
  DaemonMetrics& metrics_;
  Admission admission_;
  Breadcrumb crumb_;
  const Post post_;
  Environment& environment_;
  LogWriter* stream_logs_ = nullptr;
  ModelPool models_;
  ChannelRegistry channels_;
  std::unique_ptr<Backplane> backplane_;
  std::unique_ptr<Journal> journal_;
  std::function<void()> on_deadline_changed_;
  std::set<StreamSender*> senders_;  // without a stream
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  // A stream that has ended, for a sender that lost its connection before it was sent the end.
  struct EndedStream {
    TimePoint until;
    std::shared_ptr<Stream> stream;
  };
  std::deque<EndedStream> ended_streams_;
  StreamRecovery recovery_{*this};
  std::map<Viewer*, bool> viewers_;  // true: drained
  std::uint64_t last_stream_ = 0;
  int drain_guards_ = 0;
  int pending_requests_ = 0;
  bool draining_ = false;
  std::function<void()> drained_;
};

}  // namespace surtitle
