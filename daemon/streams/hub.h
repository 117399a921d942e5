// What all connections of the daemon share: the models, the channels, the running streams, the
// limits and the draining.
//
// Thread-safety: none; the network thread's own, but for what the batching loops do by themselves.
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

#include "daemon/base/breadcrumb.h"
#include "daemon/base/environment.h"
#include "daemon/base/watchdog.h"
#include "daemon/channels/channel_registry.h"
#include "daemon/protocol/protocol.h"
#include "daemon/streams/stream_info.h"
#include "daemon/streams/stream_recovery.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "daemon/translation/admission_controller.h"
#include "daemon/translation/batch_loop.h"
#include "daemon/translation/stream_plan.h"
#include "daemon/translation/translation_command.h"
#include "model/text/tokenizer.h"

namespace surtitle {

class Backplane;
class Journal;
class LogWriter;
class Stream;
class StreamSender;
class Viewer;

struct HubOptions {
  protocol::Limits limits;  // sentence_tokens comes from the models
  int streams = 64;         // connected at the same time
  int viewers = 1024;
  Seconds start_seconds{30};  // from a sender's connection to its start
  std::size_t inbox_commands = 16384;
  Seconds resume_timeout{30};      // that a stream waits for its sender after a cut
  Seconds restore_at_once{1};      // before anybody is served, see Hub::restore()
  std::size_t restore_rows = 500;  // afterwards, between all else
  PlanDefaults defaults;
  AdmissionOptions admission;
};

// A loaded model: its tokenizers, and how to make its translator on the loop's thread.
struct ModelSource {
  Tokenizers tokenizers;
  BatchLoop::Factory make_translator;
  std::string name = {};  // as streams ask for it, where that is known before it is made
};

class Hub {
 public:
  // Runs a function on the network thread soon; callable from any thread.
  using Post = std::function<void(std::function<void()>)>;

  Hub(HubOptions options, DaemonMetrics& metrics, Post post,
      Environment& environment = system_environment());
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;
  ~Hub();

  // Loads a model and starts its loop. Throws what the source's factory throws.
  void add_model(const ModelSource& source);
  // Ends the loops. Nothing is posted or called back afterwards; connections may still go.
  void stop();

  // Where streams are logged; nullptr, the beginning: nowhere. It outlives the hub.
  void log_streams(LogWriter* writer) noexcept { stream_logs_ = writer; }
  LogWriter* stream_logs() const noexcept { return stream_logs_; }

  // Where streams are journaled; none, the beginning: nowhere. It calls stored() and
  // not_journaled() by `post`.
  void use_journal(std::unique_ptr<Journal> journal);
  Journal* journal() const noexcept { return journal_.get(); }
  bool journal_failing() const;  // streams wait for it; see Journal::failing()
  // The journal has so many more entries of these streams, one each.
  void stored(const std::vector<std::uint64_t>& streams);
  // The journal has no beginning of this stream and takes no more of it: it ends.
  void not_journaled(std::uint64_t stream);
  // Goes on with what another process left; those that cannot be are ended, which is logged. After
  // all models are there. What takes longer than restore_at_once goes on between all else, some
  // rows at a time, and at once where somebody asks for it: nobody can tell, but that it is slower.
  // With a backplane all of it is at once. Throws what reading the first ones throws; a later one
  // that cannot be read stays in the journal, which is logged.
  void restore(RecoverableStreams left);
  // The streams that another process left on this channel, for whoever is about to look at it.
  void restore_channel(const std::string& channel);

  // What it shares with other replicas; none, the beginning: nothing. After use_journal().
  void use_backplane(std::unique_ptr<Backplane> backplane);
  Backplane* backplane() const noexcept { return backplane_.get(); }
  // Another replica owns the stream by now; ignored if it does not run here. `failed_over`: it was
  // adopted without its sender.
  void on_ownership_lost(const std::string& stream, bool failed_over);
  // A stream of another replica has the channel of this one, which had not begun yet.
  void on_channel_refused(const std::string& stream);
  // Goes on with a stream of another replica.
  void adopt(const StreamHistory& history, std::int64_t fence);
  // Keeps the end of a stream that ended on another replica.
  void remember_ended_elsewhere(StreamHistory history);
  // For the other replicas: a stream of this one is on the channel; it is detached, or attached.
  void publish_channel(const Stream& stream);
  void publish_detached(const Stream& stream, bool detached);

  // When tick() is due for streams without a connection, or nullopt. rearm() calls the callback:
  // the deadline may have changed.
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
  // Called a few times a second: the network thread has ended a turn.
  void end_turn(TimePoint now);
  // What the network thread is doing.
  Breadcrumb& crumb() noexcept { return crumb_; }
  // The network thread, the models' loops and the journal, for as long as there are these. Of
  // these, a new process helps all but the journal: its disk would hang as it does now.
  std::vector<Watchdog::Watched> watched() const;
  ChannelRegistry& channels() noexcept { return channels_; }
  const ChannelRegistry& channels() const noexcept { return channels_; }

  const std::vector<ModelInfo>& models() const noexcept { return infos_; }
  // What a stream gets that names no policy; REQUIRES: a policy request, a model of these.
  void set_default_policy(const std::string& model, const std::string& policy);
  std::string default_policy(const ModelInfo& model) const;
  const Tokenizers& tokenizers(std::size_t model) const { return models_.at(model)->tokenizers; }
  // For the loop of a model; see BatchLoop.
  bool submit(std::size_t model, std::vector<TranslationCommand>& commands);
  void cancel_sentences(std::size_t model, const std::vector<SentenceKey>& sentences);

  // What becomes of streams that run when the daemon goes.
  enum class DrainMode {
    kFinish,   // they end as if their senders had said finish
    kHandOff,  // those of the journal are cut off: who comes next goes on with them
  };
  // No new streams; once none run, the viewers are sent away. `drained` is called once nobody is
  // left.
  void drain(DrainMode mode, std::function<void()> drained);
  bool draining() const noexcept { return draining_; }
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

  // Held by a connection that waits for its answer, or whose request is still arriving. A daemon
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

  // Senders without a stream, streams and viewers come and go by themselves. False: there are too
  // many. A sender may come in the place of its stream that was cut off.
  bool enter(StreamSender& sender);
  bool enter(Viewer& viewer);
  void leave(StreamSender& sender);
  void leave(Viewer& viewer);
  // Until it leaves. REQUIRES: not full(). `fence`: of its owner, for the backplane; 0: not known.
  void enter(const std::shared_ptr<Stream>& stream, std::int64_t fence = 1);
  void leave(Stream& stream);
  // Keeps a stream that has ended for a while, as its sender may resume it.
  void keep_ended(const std::shared_ptr<Stream>& stream);
  // For the metrics; streams that are left come and go by themselves.
  void count_streams();
  bool full() const;
  protocol::Error too_many_streams() const;

  std::vector<StreamInfo> views() const;  // of the streams that run
  // nullptr where there is none; one that waits in the journal is gone on with first.
  std::shared_ptr<Stream> stream(const std::string& name);
  // Returns the detached stream on this channel, or nullptr if there is none.
  std::shared_ptr<Stream> find_detached_on(const std::string& channel);
  // Ends a detached stream, as a new stream takes its channel.
  void displace(const std::shared_ptr<Stream>& stream) noexcept;

  std::uint64_t next_stream_number() noexcept { return ++last_stream_; }
  std::string make_stream_name() const;  // another one each time

 private:
  struct Model {
    Tokenizers tokenizers;
    std::unique_ptr<BatchLoop> loop;  // nothing after stop()
  };

  void deliver(const std::vector<TranslationEvent>& events);
  template <class Work>
  void for_each_stream(const Work& work);
  void restore_rest();
  void inbox_has_room();
  void go_on_draining();
  void release_ownership(const std::string& name, const std::optional<protocol::Error>& error);

  HubOptions options_;  // sentence_tokens is the smallest of the models'
  DaemonMetrics& metrics_;
  Admission admission_;
  Breadcrumb crumb_;
  const Post post_;
  Environment& environment_;
  LogWriter* stream_logs_ = nullptr;
  std::vector<ModelInfo> infos_;
  std::vector<std::unique_ptr<Model>> models_;
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
  std::map<Viewer*, bool> viewers_;  // whether told to go
  std::uint64_t last_stream_ = 0;
  int drain_guards_ = 0;
  int pending_requests_ = 0;
  bool draining_ = false;
  std::function<void()> drained_;
};

}  // namespace surtitle
