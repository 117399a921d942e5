// The streams of the daemon, with their senders and viewers: limits, recovery and draining.
//
// Connections enter and leave the registry; streams outlive their connections in it. The models,
// the journal and the backplane call it back on the network thread.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/backplane/backplane_host.h"
#include "daemon/protocol/protocol.h"
#include "daemon/streams/server_context.h"
#include "daemon/streams/stream_info.h"
#include "daemon/streams/stream_owner.h"
#include "daemon/streams/stream_recovery.h"
#include "daemon/translation/translation_command.h"

namespace surtitle {

class Stream;
class StreamSender;
class Viewer;

class StreamRegistry final : public StreamOwner, public BackplaneHost {
 public:
  // REQUIRES: `server` outlives this object.
  explicit StreamRegistry(ServerContext& server);
  StreamRegistry(const StreamRegistry&) = delete;
  StreamRegistry& operator=(const StreamRegistry&) = delete;
  ~StreamRegistry();

  ServerContext& server() noexcept { return server_; }
  const ServerContext& server() const noexcept { return server_; }
  // Stops the recovery, then the server context. Connections may still leave.
  void stop();

  // --- the journal ---
  // The journal has committed entries. `streams`: the stream of each of them, in order.
  void on_committed(const std::vector<std::uint64_t>& streams);
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

  // --- other replicas ---
  void on_ownership_lost(const std::string& stream, bool failed_over) override;
  void on_channel_refused(const std::string& stream) override;
  void adopt(const StreamHistory& history, Fence fence) override;
  void remember_ended_elsewhere(StreamHistory history) override;
  void on_published(const Stream& stream) override;
  void on_detached(const Stream& stream) override;

  // --- time ---
  // When on_deadline() is due for detached and ended streams, or nullopt. wake() calls the
  // callback: the deadline may have changed.
  std::optional<TimePoint> deadline() const;
  void on_deadline(TimePoint now);
  void on_deadline_changed(std::function<void()> changed) {
    on_deadline_changed_ = std::move(changed);
  }
  void wake() const override;

  // --- draining ---
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
    explicit DrainGuard(StreamRegistry& streams) : streams_(streams) { ++streams_.drain_guards_; }
    DrainGuard(const DrainGuard&) = delete;
    DrainGuard& operator=(const DrainGuard&) = delete;
    ~DrainGuard() {
      --streams_.drain_guards_;
      streams_.continue_drain();
    }

   private:
    StreamRegistry& streams_;
  };

  // Held by a connection that waits for its response, or whose request is still arriving. A daemon
  // that has drained waits a moment for these.
  class PendingRequestGuard {
   public:
    explicit PendingRequestGuard(StreamRegistry& streams) : streams_(streams) {
      ++streams_.pending_requests_;
    }
    PendingRequestGuard(const PendingRequestGuard&) = delete;
    PendingRequestGuard& operator=(const PendingRequestGuard&) = delete;
    ~PendingRequestGuard() { --streams_.pending_requests_; }

   private:
    StreamRegistry& streams_;
  };
  bool has_pending_requests() const noexcept { return pending_requests_ > 0; }

  // --- senders, streams and viewers ---
  // Register a sender without a stream, or a viewer, until it leaves. Return false if there are too
  // many. More senders than streams are allowed, as some of them resume a detached stream.
  bool enter(StreamSender& sender);
  bool enter(Viewer& viewer);
  void leave(StreamSender& sender);
  void leave(Viewer& viewer);
  // Registers a stream until it closes. REQUIRES: not full(). `fence`: of its ownership, for the
  // backplane; 0: not known.
  void enter(const std::shared_ptr<Stream>& stream, Fence fence = Fence(1));
  void on_closed(Stream& stream) override;
  // Keeps a stream that has ended for resume_timeout, as its sender may resume it.
  void keep_ended(const std::shared_ptr<Stream>& stream);
  // Updates the number of streams in the metrics. Call when the recovery changes it.
  void count_streams();
  bool full() const override;
  protocol::Error too_many_streams() const;

  std::vector<StreamInfo> infos() const;  // of the streams that run
  // Returns the running or ended stream, or nullptr if there is none. Restores it from the journal
  // first if it waits there.
  std::shared_ptr<Stream> stream(const std::string& name);
  // Returns the detached stream on this channel, or nullptr if there is none.
  std::shared_ptr<Stream> find_detached_on(const std::string& channel);
  // Ends a detached stream, because a new stream begins on its channel.
  void displace(const std::shared_ptr<Stream>& stream) noexcept;

 private:
  void deliver(const std::vector<TranslationEvent>& events);
  template <class Work>
  void for_each_stream(const Work& work);
  void restore_rest();
  void inbox_has_room();
  void continue_drain();
  void release_ownership(const std::string& name, const std::optional<protocol::Error>& error);

  ServerContext& server_;
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
  int drain_guards_ = 0;
  int pending_requests_ = 0;
  bool draining_ = false;
  std::function<void()> drained_;
};

}  // namespace surtitle
