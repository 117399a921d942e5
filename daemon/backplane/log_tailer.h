// Tails the logs that other replicas write to Redis: assignment logs of channels, and histories.
//
// Each log is read from its beginning, each entry once and in order, even if Redis is unavailable
// for a while. If an entry of a channel cannot be read, the tailer stops reading this channel and
// continues with the others. Events are emitted a page at a time. While a few pages are not
// processed() yet, no more are read.
//
// Thread-safety: all functions may be called from any thread. Callbacks run on the tailer's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "model/util/mutex.h"

namespace surtitle {

// Entries of a channel's assignment log.
struct AssignmentsRead {
  std::string channel;
  bool first = false;  // the first event: the latest entries at that time, maybe none
  std::vector<redis_schema::ChannelAssignment> assignments;
};
struct EntriesRead {
  std::string channel;
  std::string stream;
  std::vector<redis_schema::Entry> entries;
  bool all = false;  // the history is read to its present end
};
struct ChannelUnreadable {
  std::string channel;
};
struct TailerUnavailable {};   // Redis is unavailable, and no events follow until it is available
struct HeartbeatRequested {};  // another replica checks whether this one is alive
// Another replica has claimed a stream of this one.
struct StreamClaimed {
  std::string stream;
  Fence fence = {};
  bool failed_over = false;
};
using TailerEvent = std::variant<AssignmentsRead, EntriesRead, ChannelUnreadable, TailerUnavailable,
                                 HeartbeatRequested, StreamClaimed>;

class LogTailer {
 public:
  LogTailer(RedisHealth& health, std::function<void(TailerEvent)> on_event);
  LogTailer(const LogTailer&) = delete;
  LogTailer& operator=(const LogTailer&) = delete;
  ~LogTailer();

  // Start and stop tailing a channel.
  void follow(const std::string& channel);
  void leave(const std::string& channel);
  // Reads the history of this stream of a followed channel, after all entries of the stream that is
  // being read. "": stops reading at once.
  void read(const std::string& channel, const std::string& stream);
  // Must be called once for each event that is processed, except for HeartbeatRequested and
  // StreamClaimed.
  void processed();

 private:
  struct Command {
    enum class Kind { kFollow, kLeave, kRead } kind;
    std::string channel;
    std::string stream;
  };
  struct Followed {
    std::string last_assignment;  // id of the last assignment that was read; "": none yet
    std::string stream;
    std::int64_t next = 1;  // entry
    bool all = true;        // the history was read to its end once
    bool unreadable = false;
  };

  void run();
  void put(Command command);
  bool run_commands();
  void begin_channels();
  void read_histories();
  void read_next_page(const std::string& channel, Followed& followed);
  void wait_for_events();
  void on_entries(const RedisReply& reply);
  template <typename Work>
  void each_channel(const Work& work);
  void emit(TailerEvent event);
  bool at_limit();
  void connect();
  void pause();

  RedisHealth& health_;
  const std::function<void(TailerEvent)> on_event_;
  const int wake_;  // an eventfd

  Mutex mutex_;
  std::deque<Command> commands_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  int unprocessed_ GUARDED_BY(mutex_) = 0;  // events

  // Used by the tailer's thread alone.
  std::unique_ptr<RedisConnection> redis_;
  std::unique_ptr<RedisConnection> waker_;  // ends a blocking read of redis_
  std::string woken_;                       // id of the last wake-up; "": none yet
  std::map<std::string, Followed> followed_;
  bool held_back_ = false;  // the first command waits until a history is read

  std::thread thread_;  // last, because it uses all other members
};

}  // namespace surtitle
