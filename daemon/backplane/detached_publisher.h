// Publishes which senders of channels are detached. Other replicas may displace those, and tell
// their viewers that the channel is interrupted.
//
// Publishes everything again on a new connection, because Redis may have lost it.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "daemon/backplane/redis.h"
#include "daemon/base/clock.h"

namespace surtitle {

// Whether a stream is detached, and until when it waits for its sender, if it does.
struct Detached {
  bool detached = false;
  std::optional<TimePoint> interrupted_until = {};
};

class DetachedPublisher {
 public:
  // The stream of a channel is detached, or attached.
  void set(const std::string& channel, const std::string& stream, Detached detached) {
    states_[stream] = {channel, detached};
  }
  // The stream does not run here any more.
  void erase(const std::string& stream) { states_.erase(stream); }
  // Redis may have lost what was published, of all streams or of one.
  void reset();
  void reset(const std::string& stream);
  // Publishes all changes. Throws RedisError.
  void publish(RedisConnection& redis, const std::string& replica);

 private:
  struct State {
    std::string channel;
    Detached now;
    bool published = false;
  };
  std::map<std::string, State> states_;  // detached streams, and changes that are not published yet
};

}  // namespace surtitle
