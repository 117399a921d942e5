// The streams that a sender resumed here while Redis was unavailable.
//
// Another replica may have claimed such a stream just before: Redis may execute a claim and stop
// before its reply. Words since the resumption are acknowledged here. The next append therefore
// claims the stream back (redis_schema::Append::contested), and notices of the other claim are
// ignored until its reply.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "model/util/mutex.h"

namespace surtitle {

class ContestedStreams {
 public:
  void add(const std::string& stream) {
    const MutexLock lock(mutex_);
    streams_.insert(stream);
    added_.insert(stream);
  }
  void remove(const std::string& stream) {
    const MutexLock lock(mutex_);
    streams_.erase(stream);
    added_.erase(stream);
  }
  bool contains(const std::string& stream) const {
    const MutexLock lock(mutex_);
    return streams_.contains(stream);
  }
  // Returns the streams that were added since the last call.
  std::set<std::string> take_added() {
    const MutexLock lock(mutex_);
    return std::exchange(added_, {});
  }

 private:
  mutable Mutex mutex_;
  std::set<std::string> streams_ GUARDED_BY(mutex_);
  std::set<std::string> added_ GUARDED_BY(mutex_);
};

}  // namespace surtitle
