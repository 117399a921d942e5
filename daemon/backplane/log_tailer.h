// Reads what other replicas write, on a thread of its own: the order of streams on channels, and
// the histories of streams, as they grow. A channel or a history is read from its beginning, each
// entry once and in order, over Redis' absence, too. A channel where something cannot be read is
// not read on, and keeps no other one waiting.
//
// What is read is told a page at a time, and no more than a few pages that are not taken() yet.
//
// Thread-safety: full; the callbacks come on the reader's thread.
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

// What was read of a channel.
struct TurnsRead {
  std::string channel;
  bool first = false;  // the last streams that were on it when it was first looked at; may be none
  std::vector<shared_story::Turn> turns;
};
struct EntriesRead {
  std::string channel;
  std::string stream;
  std::vector<shared_story::Entry> entries;
  bool all = false;  // that there were at this moment
};
struct ChannelUnreadable {
  std::string channel;
};
struct ReaderAway {};  // Redis is; what is waited for does not come for now
struct PulseAsked {};  // another replica wants to know whether this one lives
// A stream of this replica's goes on elsewhere.
struct StreamTaken {
  std::string stream;
  std::int64_t fence = 0;
  bool swept = false;
};
using StoryNews =
    std::variant<TurnsRead, EntriesRead, ChannelUnreadable, ReaderAway, PulseAsked, StreamTaken>;

class StoryReader {
 public:
  StoryReader(LinkState& state, std::function<void(StoryNews)> tell);
  StoryReader(const StoryReader&) = delete;
  StoryReader& operator=(const StoryReader&) = delete;
  ~StoryReader();

  void follow(const std::string& channel);
  void leave(const std::string& channel);
  // Of a followed channel: from now on this one, once all that there is of the one before is read;
  // "": none, at once.
  void read(const std::string& channel, const std::string& stream);
  // One more of what was told, but for PulseAsked and StreamTaken.
  void taken();

 private:
  struct Command {
    enum class Kind { kFollow, kLeave, kRead } kind;
    std::string channel;
    std::string stream;
  };
  struct Followed {
    std::string turn;  // the id of the last one that was read; "": none was looked at
    std::string stream;
    std::int64_t next = 1;  // entry
    bool all = true;        // was read once
    bool unreadable = false;
  };

  void run();
  void put(Command command);
  bool take_commands();
  void begin_channels();
  void read_stories();
  void read_on(const std::string& channel, Followed& followed);
  void wait_for_news();
  void take_news(const RedisReply& reply);
  template <typename Work>
  void each_channel(const Work& work);
  void tell(StoryNews news);
  bool crowded();
  void connect();
  void pause();

  LinkState& state_;
  const std::function<void(StoryNews)> tell_;
  const int wake_;  // an eventfd

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Command> commands_;
  bool stopping_ = false;
  int told_ = 0;  // and not taken yet

  // The thread's alone.
  std::unique_ptr<RedisConnection> redis_;
  std::unique_ptr<RedisConnection> waker_;  // ends the other one's waiting
  std::string woken_;                       // the id that it was last woken by; "": none yet
  std::map<std::string, Followed> followed_;
  bool held_back_ = false;  // the first command waits for what is read now

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
