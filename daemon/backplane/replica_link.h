// This replica among the others, on a thread of its own: says that it lives, takes streams over,
// and goes on with those whose replica has died.
//
// Thread-safety: full; what it is given to call is called on its own thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "daemon/backplane/link_state.h"
#include "daemon/backplane/redis.h"
#include "daemon/backplane/shared_story.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

// A stream that somebody wants to go on with here.
struct FoundStream {
  enum class Result {
    kHere,      // with its story where it was another's, or does not run here
    kEnded,     // with its story; it is nobody's to go on with
    kNotFound,  // or the key is another one
    kAway,      // Redis is
  };
  Result result = Result::kNotFound;
  std::int64_t fence = 0;
  std::optional<JournaledStory> story = {};
};

class ReplicaLink {
 public:
  using Answer = std::function<void(FoundStream)>;

  // `orphan` is told of each stream that was left by a replica that died, and is this one's now.
  ReplicaLink(LinkState& state, Answer orphan);
  ReplicaLink(const ReplicaLink&) = delete;
  ReplicaLink& operator=(const ReplicaLink&) = delete;
  // Says that the replica is gone.
  ~ReplicaLink();

  // `here`: it runs on this replica, so its story is not needed where it is still its own.
  void take(std::string stream, std::string key, bool here, Answer answer);
  // Of a channel's sender: whether it is cut off.
  void tell_away(std::string channel, std::string stream, bool away);
  // The replica goes down: streams that others left are not for it.
  void take_no_orphans();

 private:
  struct Request {
    std::string stream;
    std::string key;
    bool here = false;
    Answer answer;
  };
  struct Away {
    std::string channel;
    bool away = false;
  };

  void run();
  std::optional<Request> next();
  void beat();
  void sweep();
  void adopt_one();
  bool take_one_left();
  void tell_aways();
  void answer(const Request& request);
  FoundStream find(const Request& request);
  JournaledStory read_story(const std::string& stream);

  LinkState& state_;
  const Answer orphan_;

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::deque<Request> requests_;
  std::map<std::string, Away> aways_;  // by stream: not told yet, or cut off
  bool told_aways_ = true;
  bool orphans_ = true;
  bool stopping_ = false;

  // The thread's alone.
  std::unique_ptr<RedisConnection> redis_;
  TimePoint beat_next_;
  std::set<std::string> left_;  // streams of dead replicas
  // This replica's, with their fence, whose stories could not be read yet.
  std::map<std::string, std::int64_t> half_taken_;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
