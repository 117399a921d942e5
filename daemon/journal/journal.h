// The journal of all streams, written aside from the network thread: nobody waits for a disk, and
// what waits for it is written in one transaction.
//
// Where the store refuses a transaction (a full disk), it is tried again until it is taken: what
// must be in the journal before it is said is not said meanwhile. That is logged once, counted, and
// seen by failing(). So is a write that neither succeeds nor fails, as on a disk that hangs:
// nothing can be done about it here, and the journal goes on once it returns. What the store can
// never take, as it has no beginning of a stream, holds up no other stream. Where memory runs out,
// the journal goes on from there a moment later.
//
// Thread-safety: append() from one thread, failing() and crumb() from any. The store is used where
// the environment has the journal's work, a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"
#include "daemon/base/environment.h"
#include "daemon/journal/journal_store.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

struct JournalOptions {
  // Both are called by the journal's work. They may throw std::bad_alloc where they have done
  // nothing, and are called again with the same then.
  //
  // The streams of entries that are stored now, one for each entry, in order.
  std::function<void(std::shared_ptr<const std::vector<std::uint64_t>>)> stored;
  // A stream whose entries are dropped, as its beginning is gone from the store; maybe repeatedly.
  std::function<void(std::uint64_t)> unknown = {};
  Seconds retention{0};  // of streams that have ended; 0: for ever
};

class Journal {
 public:
  // The end of it writes what waits, if the store takes it at once.
  Journal(std::unique_ptr<JournalStore> store, DaemonMetrics& metrics, JournalOptions options,
          Environment& environment = system_environment());
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() = default;

  // `stream` is what `stored` is told.
  void append(std::uint64_t stream, JournalEntry entry);
  // Either all of them are in the journal, whenever the process dies, or none.
  void append(std::uint64_t stream, std::vector<JournalEntry> entries);

  // How long the store may take for a round before it counts as one that hangs. A proxy may send
  // all streams elsewhere then.
  static constexpr std::chrono::seconds kHangs{10};

  // The store does not take what it is given, or hangs.
  bool failing() const;
  // What its work does.
  const Breadcrumb& crumb() const noexcept { return crumb_; }

 private:
  TimePoint run_once();
  std::optional<Clock::duration> run_maintenance();
  bool take_waiting();
  TimePoint write_waiting();
  bool write_all();
  void write_skipping_unknown();
  void notify_committed();
  void drop(const UnknownStream& unknown);
  void log_failure(const std::string& why);
  void purge();

  const std::unique_ptr<JournalStore> store_;
  DaemonMetrics& metrics_;
  const JournalOptions options_;
  Environment& environment_;
  std::atomic<bool> failing_{false};  // it refuses
  Breadcrumb crumb_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::vector<JournalEntry> waiting_;
  std::vector<std::uint64_t> streams_;  // beside waiting_

  // The journal's work alone.
  std::vector<JournalEntry> entries_;
  std::vector<std::uint64_t> entries_streams_;
  std::shared_ptr<const std::vector<std::uint64_t>> stored_;  // who is to be told so
  TimePoint try_next_;                                        // after a failure
  TimePoint next_purge_;

  std::unique_ptr<Worker> worker_;  // last: starts when everything else stands
};

}  // namespace surtitle
