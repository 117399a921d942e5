// Streams that another process left in the journal, on their way to the hub: some at once, the rest
// some rows at a time, and whichever is asked for before all others.
//
// What becomes of those that do not go on is logged. One whose history cannot be told anew, or
// whose channel another one took, is ended. One that cannot be read stays in the journal as it is.
//
// The time that this takes is no load. Those that wait are expected (Admission).
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/base/clock.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

class Hub;
class Stream;

class LeftStreams {
 public:
  explicit LeftStreams(Hub& hub);
  LeftStreams(const LeftStreams&) = delete;
  LeftStreams& operator=(const LeftStreams&) = delete;
  ~LeftStreams();

  // Restores streams until then, a last one to its end. The senders of all are waited for from when
  // this returns. Throws what reading throws.
  void begin(RecoverableStreams left, TimePoint until);
  // So many rows of the stream that is on its way, or of the next one.
  void go_on(std::size_t rows) noexcept;
  // Those on this channel, or this one with those that are on its channel; nothing where there is
  // none.
  void restore_channel(const std::string& channel);
  void restore_named(const std::string& name);
  // The next process goes on with the rest, but for the stream that is on its way.
  void leave_rest() noexcept;
  void clear() noexcept;

  std::ptrdiff_t count() const noexcept;  // of all, also of those that ended before
  int count_open() const noexcept;

 private:
  struct Restoring;
  // What a stream counts in the load that is expected, until it runs.
  class Place {
   public:
    Place() = default;
    Place(Hub& hub, std::uint64_t number) : hub_(&hub), number_(number) {}
    Place(Place&& other) noexcept
        : hub_(std::exchange(other.hub_, nullptr)), number_(other.number_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(hub_, other.hub_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~Place();

   private:
    Hub* hub_ = nullptr;
    std::uint64_t number_ = 0;  // one of a stream
  };
  struct Waiting {
    StreamSummary summary;
    Place place = {};
  };

  void expect(Waiting& waiting);
  void advance(std::size_t rows) noexcept;
  Waiting take_first() noexcept;
  void start(Waiting& waiting);
  std::shared_ptr<Stream> finish();
  void wait_for_sender(Stream& stream) const;
  void restore_now(const std::deque<Waiting>::iterator& waiting);
  void close_where_done() noexcept;

  Hub& hub_;
  std::deque<Waiting> waiting_;
  std::function<StreamHistory(const StreamSummary&)> read_;  // of RecoverableStreams
  std::unique_ptr<Restoring> restoring_;
  TimePoint served_from_;  // senders had nothing to come back to before
};

}  // namespace surtitle
