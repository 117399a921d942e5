// Streams that another process left in the journal, on their way to the hub: some at once, the rest
// some rows at a time, and whichever is asked for before all others. Those that cannot go on are
// ended, which is logged.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "daemon/clock.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

class Hub;

class LeftStreams {
 public:
  explicit LeftStreams(Hub& hub);
  LeftStreams(const LeftStreams&) = delete;
  LeftStreams& operator=(const LeftStreams&) = delete;
  ~LeftStreams();

  // Restores streams until then, a last one to its end. Their senders are waited for from when this
  // returns. Throws what reading throws.
  void begin(LeftStories left, TimePoint until);
  // So many rows of the stream that is on its way, or of the next one. One that fails on its way
  // stays in the journal, which is logged.
  void go_on(std::size_t rows) noexcept;
  // Those on this channel, or this one with those that are on its channel; nothing where there is
  // none.
  void restore_channel(const std::string& channel);
  void restore_named(const std::string& name);
  // The next process goes on with the rest.
  void leave_rest();

  std::ptrdiff_t left() const noexcept;  // of which some have ended
  int open() const noexcept;

 private:
  struct Restoring;

  StoryHead take_first() noexcept;
  void start(const StoryHead& head);
  void finish();
  void restore_now(std::vector<StoryHead>::iterator head);
  void close_where_done() noexcept;

  Hub& hub_;
  LeftStories left_;
  std::unique_ptr<Restoring> restoring_;
  TimePoint served_from_;  // senders had nothing to come back to before
};

}  // namespace surtitle
