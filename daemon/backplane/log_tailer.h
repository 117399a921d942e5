// Tails the logs that other replicas write to Redis: which stream a channel has, and the histories
// of streams.
//
// Each log is read from its beginning, each entry once and in order, even if Redis is unavailable
// for a while. A channel with an entry that cannot be read is not read further; the others are.
//
// Events are emitted a page at a time, until a few pages are not processed() yet.
//
// Thread-safety: full; the callbacks come on the tailer's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"

namespace surtitle {

// Entries of a channel's assignment log.
struct AssignmentsRead {
  std::string channel;
  bool first = false;  // the last streams that were on it when it was first looked at; may be none
  std::vector<redis_schema::ChannelAssignment> assignments;
};
struct EntriesRead {
  std::string channel;
  std::string stream;
  std::vector<redis_schema::Entry> entries;
  bool all = false;  // these are the last ones for now
};
struct ChannelUnreadable {
  std::string channel;
};
struct TailerUnavailable {};   // Redis is unavailable; no events for now
struct HeartbeatRequested {};  // another replica checks whether this one is alive
// Another replica has claimed a stream of this one.
struct StreamClaimed {
  std::string stream;
  std::int64_t fence = 0;
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

  void follow(const std::string& channel);
  void leave(const std::string& channel);
  // Reads this stream of a followed channel, once all entries of the stream before are read; "":
  // reads none, at once.
  void read(const std::string& channel, const std::string& stream);
  // One more event is processed. HeartbeatRequested and StreamClaimed do not count.
  void processed();

 private:
  struct Command {
    enum class Kind { kFollow, kLeave, kRead } kind;
    std::string channel;
    std::string stream;
  };
  struct Followed {
    std::string last_assignment;  // the id of the last one that was read; "": not read yet
    std::string stream;
    std::int64_t next = 1;  // entry
    bool all = true;        // was read once
    bool unreadable = false;
  };

  void run();
  void put(Command command);
  bool run_commands();
  void begin_channels();
  void read_histories();
  void read_on(const std::string& channel, Followed& followed);
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

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Command> commands_;
  bool stopping_ = false;
  int unprocessed_ = 0;  // events

  // The thread's alone.
  std::unique_ptr<RedisConnection> redis_;
  std::unique_ptr<RedisConnection> waker_;  // ends the other one's waiting
  std::string woken_;                       // the id that it was last woken by; "": none yet
  std::map<std::string, Followed> followed_;
  bool held_back_ = false;  // the first command waits until a history is read

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
