// This replica among the others, on a thread of its own: says that it lives, takes streams over,
// and goes on with those whose replica has died.
//
// A stream whose owner lives is taken with its consent: that it says, after it was asked to, that
// Redis has all that it has said. One that does not answer in time stands still, or is cut off:
// what Redis has is then gone on with where the sender knows of no more, and else not before its
// owner counts as dead. Until Redis is settled, nobody counts as dead, and no stream as unknown.
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
#include <utility>
#include <vector>

#include "daemon/backplane/link_state.h"
#include "daemon/backplane/redis.h"
#include "daemon/backplane/shared_story.h"
#include "daemon/journal/journal_store.h"
#include "daemon/protocol.h"

namespace surtitle {

// A stream that somebody wants to go on with here.
struct FoundStream {
  enum class Result {
    kHere,      // with its story where it was another's, or does not run here
    kEnded,     // with its story; it is nobody's to go on with
    kNotFound,  // or the key is another one
    kAway,      // Redis is, or has not been back for long
    kLater,     // its owner may have more of it than Redis: to be asked for again
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

  struct Request {
    protocol::Resume wanted;
    // Whether who asks has left, and maybe come back elsewhere: the stream stays where it is then.
    std::function<bool()> gone;
    // It runs on this replica, so its story is not needed where it is still its own.
    bool here = false;
    Answer answer;
  };
  void take(Request request);
  // Says that it lives, soon.
  void beat_soon();
  // Of a channel's sender: whether it is cut off.
  void tell_away(std::string channel, std::string stream, bool away);
  // The stream runs here no more.
  void forget(const std::string& stream);
  // The replica goes down: streams that others left are not for it.
  void take_no_orphans();

 private:
  // For its owner's consent.
  struct Waiting {
    Request request;
    std::string owner;
    std::int64_t fence = 0;  // the owner's
    std::string pulse;       // likewise, when it was asked
    TimePoint until;
  };
  struct CutOff {
    std::string channel;
    bool away = false;
    bool told = false;
  };

  void run();
  void keep_up();
  std::optional<Request> next();
  void connect();
  void beat();
  void beat_in_time();
  void sweep();
  void adopt_one();
  bool take_one_left();
  void tell_cut_offs();
  void away(const std::string& why);
  void begin(Request request);
  bool wait_for_owner(Request& request);
  void look_at_owners();
  std::optional<FoundStream> after_waiting(const Waiting& waiting);
  std::optional<FoundStream> refusal(const Request& request);
  // From this owner, or whoever has it.
  FoundStream find(const Request& request, std::optional<std::int64_t> fence);
  JournaledStory read_story(const std::string& stream);
  std::optional<std::string> pulse_of(const std::string& replica);

  LinkState& state_;
  const Answer orphan_;

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::deque<Request> requests_;
  std::map<std::string, CutOff> cut_offs_;  // by stream: not told yet, or cut off
  bool told_cut_offs_ = true;
  bool orphans_ = true;
  bool beat_asked_ = false;
  bool stopping_ = false;

  // The thread's alone.
  std::unique_ptr<RedisConnection> redis_;
  TimePoint beat_next_;
  std::int64_t beats_ = 0;
  std::vector<Waiting> waiting_;
  std::set<std::string> left_;  // streams of dead replicas
  // This replica's, with their fence, whose stories could not be read yet.
  std::map<std::string, std::int64_t> half_taken_;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
