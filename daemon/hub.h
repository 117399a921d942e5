// What all connections of the daemon share: the models, the channels, the running streams, the
// limits and the draining.
//
// Thread-safety: none; the network thread's own, but for what the batching loops do by themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/batch_loop.h"
#include "daemon/channel_registry.h"
#include "daemon/daemon_metrics.h"
#include "daemon/protocol.h"
#include "daemon/stream_plan.h"
#include "daemon/translation.h"
#include "model/tokenizer.h"

namespace surtitle {

class LogWriter;
class StreamSender;
class Viewer;

struct HubOptions {
  protocol::Limits limits;  // sentence_tokens comes from the models
  int streams = 64;         // connected at the same time
  int viewers = 1024;
  Seconds start_seconds{30};  // from a sender's connection to its start
  std::size_t inbox_commands = 16384;
  PlanDefaults defaults;
};

// A loaded model: its tokenizers, and how to make its translator on the loop's thread.
struct ModelSource {
  Tokenizers tokenizers;
  BatchLoop::Factory make_translator;
};

class Hub {
 public:
  // Runs a function on the network thread soon; callable from any thread.
  using Post = std::function<void(std::function<void()>)>;

  Hub(HubOptions options, DaemonMetrics& metrics, Post post);
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

  const HubOptions& options() const noexcept { return options_; }
  DaemonMetrics& metrics() noexcept { return metrics_; }
  ChannelRegistry& channels() noexcept { return channels_; }
  const ChannelRegistry& channels() const noexcept { return channels_; }

  const std::vector<ModelInfo>& models() const noexcept { return infos_; }
  const Tokenizers& tokenizers(std::size_t model) const { return models_.at(model)->tokenizers; }
  // For the loop of a model; see BatchLoop.
  bool submit(std::size_t model, std::vector<TranslationCommand>& commands);
  void give_up(std::size_t model, const std::vector<SentenceKey>& sentences);

  // No new streams; those that run are ended as if their senders had said finish, and then the
  // viewers are sent away. `drained` is called once nobody is left.
  void drain(std::function<void()> drained);
  bool draining() const noexcept { return draining_; }

  // A connection for as long as it exists, which is until its last words are sent. Draining waits
  // for all of them.
  class Guest {
   public:
    explicit Guest(Hub& hub) : hub_(hub) { ++hub_.guests_; }
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;
    ~Guest() {
      --hub_.guests_;
      hub_.go_on_draining();
    }

   private:
    Hub& hub_;
  };

  // Senders and viewers come and go by themselves. False: there are too many.
  bool enter(StreamSender& sender);
  bool enter(Viewer& viewer);
  void leave(StreamSender& sender);
  void leave(Viewer& viewer);

  // A number for a new stream, and its name to the outside: unguessable, so that it can one day
  // stand for the right to resume.
  std::uint64_t next_stream_number() noexcept { return ++last_stream_; }
  static std::string make_stream_name();

 private:
  struct Model {
    Tokenizers tokenizers;
    std::unique_ptr<BatchLoop> loop;  // nothing after stop()
  };

  void deliver(const std::vector<TranslationEvent>& events);
  static void translated(StreamSender& sender, std::span<const TranslationEvent> events,
                         TimePoint now);
  void inbox_has_room();
  void go_on_draining();

  HubOptions options_;  // sentence_tokens is the smallest of the models'
  DaemonMetrics& metrics_;
  const Post post_;
  LogWriter* stream_logs_ = nullptr;
  std::vector<ModelInfo> infos_;
  std::vector<std::unique_ptr<Model>> models_;
  ChannelRegistry channels_;
  std::map<std::uint64_t, StreamSender*> senders_;
  std::map<Viewer*, bool> viewers_;  // whether told to go
  std::uint64_t last_stream_ = 0;
  int guests_ = 0;
  bool draining_ = false;
  std::function<void()> drained_;
};

}  // namespace surtitle
