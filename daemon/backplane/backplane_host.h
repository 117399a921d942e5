// The daemon as the backplane sees it: its running streams.
//
// Thread-safety: none; all functions are called on the network thread.
#pragma once

#include <string>

#include "daemon/journal/journal_store.h"

namespace surtitle {

class BackplaneHost {
 public:
  // Returns true if there is no room for another stream.
  virtual bool full() const = 0;
  virtual bool draining() const = 0;
  // Another replica owns the stream by now; ignored if it does not run here. `failed_over`: it was
  // adopted without its sender.
  virtual void on_ownership_lost(const std::string& stream, bool failed_over) = 0;
  // Ends this stream, which has not begun: a stream of another replica has its channel.
  virtual void on_channel_refused(const std::string& stream) = 0;
  // Continues a stream of another replica here, if possible. `fence`: of the ownership that was
  // claimed.
  virtual void adopt(const StreamHistory& history, Fence fence) = 0;
  // Keeps the end of a stream that ended on another replica, for a sender that resumes it.
  virtual void remember_ended_elsewhere(StreamHistory history) = 0;

 protected:
  ~BackplaneHost() = default;
};

}  // namespace surtitle
