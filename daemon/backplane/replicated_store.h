// The journal of a replica: its own file, and behind it the histories in Redis, from which other
// replicas go on with them.
//
// What Redis does not take for now is in the file, which is where it is sent from once Redis is
// back: nothing waits in memory. When it goes, whoever writes waits for it no longer than its
// patience, and when it comes, no longer than that for what is behind. A Redis that is another one
// by then, or a new one, is asked what it has; streams that ended a short while ago may have gone
// with the old one, and are sent again. A stream that alone cannot be sent, as its entries cannot
// be read or Redis refuses them, is set aside for a while, and the others go on.
//
// A stream that goes on elsewhere is remembered for a moment: should Redis lose all before whoever
// takes it has read it, this file alone has it, and sends it again. It is not heard where it did
// get there, as its fence is a later one then.
//
// What a silent stream has in Redis is renewed before it expires.
//
// Thread-safety: as JournalStore's; the callbacks come on the thread that calls, before what they
// are about counts as stored.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/backplane/redis_health.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

class MirroredStore : public JournalStore {
 public:
  struct Callbacks {
    // It goes on elsewhere, or under a later fence than this; 0: not known. `swept`: without its
    // sender.
    std::function<void(std::string stream, std::int64_t fence, bool swept)> lost;
    std::function<void(std::string stream)> refused;  // its channel has a sender elsewhere
  };
  MirroredStore(std::unique_ptr<LocalStore> local, LinkState& link, Callbacks callbacks);
  ~MirroredStore() override;

  void write(std::span<const JournalEntry> entries) override;
  // If Redis is available, it is sent the entries that it lacks before this returns, unless that
  // takes seconds.
  RecoverableStreams load_recoverable(std::int64_t ended) override;
  int forget(std::int64_t before) override;
  std::optional<Clock::duration> keep_up() override;

 private:
  // Of a stream, in entries of its history.
  struct Place {
    std::int64_t order = 0;  // in which they are caught up
    std::int64_t fence = 0;
    std::int64_t local = 0;    // in the file
    std::int64_t shared = -1;  // in Redis; -1: it has to be asked
    std::int64_t taken = 0;    // in Redis when it was taken over; the file gets them first
    bool ended = false;
    bool elsewhere = false;  // it does not run here
    std::string channel;
    TimePoint renew;  // what Redis has of it
    // Where it alone could not be sent: when it is tried again. That has been logged.
    std::optional<TimePoint> aside = {};
    bool told_aside = false;

    bool behind() const noexcept { return shared < local; }
  };
  struct Remembered {
    Place place;
    TimePoint until;
  };
  using Batch = std::vector<shared_story::Append>;

  void mirror(std::span<const JournalEntry> entries) noexcept;
  void note(const JournalEntry& entry, Batch& batch);
  Place& begin(const JournalEntry& entry);
  void add(const std::string& stream, const Place& place, RedisCommand fields, Batch& batch);
  bool follows_one_behind(const Place& place, const Batch& batch) const;
  void send(const Batch& batch);
  void take_answer(const shared_story::Append& append, const shared_story::Appended& answer);
  void catch_up_left();
  bool may_send() const;
  bool connected();
  void look_for_another();
  void connect();
  void ask_anew();
  void catch_up_until(TimePoint until);
  void say_that_it_starts();
  bool catch_up();
  void catch_up(const std::string& stream, Place& place);
  void set_aside(const std::string& stream, const std::string& why);
  void renew();
  shared_story::Append missing(const std::string& stream, const Place& place);
  void remember(std::map<std::string, Place>::iterator place, std::chrono::milliseconds time);
  void went_elsewhere(std::map<std::string, Place>::iterator place);
  void forget_remembered();
  void fall_behind();
  void away(const std::string& why);
  void count_behind();

  const std::unique_ptr<LocalStore> local_;
  LinkState& link_;
  const Callbacks callbacks_;
  std::unique_ptr<RedisConnection> redis_;
  int arrival_ = 0;                      // of Redis, when it was connected to last
  std::string run_;                      // of Redis, which it was connected to last; "": none yet
  std::map<std::string, Place> places_;  // of streams that run, or that Redis does not have whole
  // Of the others, those that have ended or went elsewhere a while ago.
  std::map<std::string, Remembered> remembered_;
  std::int64_t next_order_ = 0;
  bool behind_ = false;     // some stream is that is not set aside
  bool ask_again_ = false;  // at the next arrival, what was known before
};

}  // namespace surtitle
