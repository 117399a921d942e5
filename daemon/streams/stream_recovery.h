// Restores the streams that another process left in the journal.
//
// Some streams are restored at once, the rest a few rows at a time. A stream that a client needs is
// restored before all others.
//
// Failures are logged. A stream whose replay differs, or whose channel has another stream by now,
// is ended. A stream that cannot be read stays in the journal as it is.
//
// The time of recovery does not count as load. Streams that wait have a reservation
// (AdmissionController).
//
// Thread-safety: none; belongs to the network thread.
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

class ServerContext;
class Stream;
class StreamRegistry;

class StreamRecovery {
 public:
  explicit StreamRecovery(StreamRegistry& streams);
  StreamRecovery(const StreamRecovery&) = delete;
  StreamRecovery& operator=(const StreamRecovery&) = delete;
  ~StreamRecovery();

  // Restores streams until `until`, the last of them completely, but none of the past. The time in
  // which senders may resume starts when this returns. Throws if a stream cannot be read.
  void begin(RecoverableStreams left, TimePoint until);
  // Replays at most `rows` rows of the stream that is being restored, or of the next one.
  void restore_rows(std::size_t rows) noexcept;
  // Restores the streams of this channel, or this stream and all streams of its channel, if there
  // are any.
  void restore_channel(const std::string& channel);
  void restore_named(const std::string& name);
  // Completes the stream that is being restored and leaves the others to the next process.
  void hand_off_rest() noexcept;
  void clear() noexcept;

  std::ptrdiff_t count() const noexcept;  // of all streams that wait, including ended ones
  int count_open() const noexcept;        // without ended ones

 private:
  struct Restoring;
  // The load that is reserved for a stream while it waits.
  class LoadReservation {
   public:
    LoadReservation() = default;
    LoadReservation(ServerContext& server, std::uint64_t number)
        : server_(&server), number_(number) {}
    LoadReservation(LoadReservation&& other) noexcept
        : server_(std::exchange(other.server_, nullptr)), number_(other.number_) {}
    LoadReservation& operator=(LoadReservation&& other) noexcept {
      std::swap(server_, other.server_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~LoadReservation();

   private:
    ServerContext* server_ = nullptr;
    std::uint64_t number_ = 0;  // of a stream
  };
  struct Waiting {
    StreamSummary summary;
    LoadReservation reservation = {};
  };

  void reserve_load(Waiting& waiting);
  void replay_rows(std::size_t rows) noexcept;
  Waiting pop_first() noexcept;
  void start(Waiting& waiting);
  std::shared_ptr<Stream> finish();
  void start_resume_timer(Stream& stream) const;
  void restore_now(const std::deque<Waiting>::iterator& waiting);
  void drop_reader_if_done() noexcept;

  StreamRegistry& streams_;
  ServerContext& server_;
  std::deque<Waiting> waiting_;
  std::function<StreamHistory(const StreamSummary&)> read_;  // of RecoverableStreams
  std::unique_ptr<Restoring> restoring_;
  TimePoint served_from_;  // since when senders can resume
};

}  // namespace surtitle
