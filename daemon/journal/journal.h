// The journal of all streams, which a thread of its own writes (group commit).
//
// All entries that wait are written in one transaction. If the store fails, as on a full disk, the
// transaction is retried until it succeeds, and later entries wait. Messages that must be committed
// before they are visible wait meanwhile, and failing() returns true. It also returns true if a
// write neither succeeds nor fails. README.md has the cases of failure.
//
// Thread-safety: append() from one thread, failing() and crumb() from any thread. The store is used
// on the journal's thread alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"
#include "daemon/base/environment.h"
#include "daemon/journal/journal_store.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "model/util/mutex.h"

namespace surtitle {

struct JournalOptions {
  // Both callbacks run on the journal's thread. They may throw std::bad_alloc if they have had no
  // effect, and are called again with the same arguments then.
  //
  // Called after entries were committed. The argument has the stream of each entry, in order.
  std::function<void(std::shared_ptr<const std::vector<std::uint64_t>>)> on_committed;
  // Called after entries of this stream were dropped, because the store has no beginning of the
  // stream. May be called repeatedly for a stream.
  std::function<void(std::uint64_t)> on_unknown_stream = {};
  Seconds retention{0};  // of streams that have ended; 0: forever
};

class Journal {
 public:
  // REQUIRES: `metrics` and `environment` outlive this object.
  Journal(std::unique_ptr<JournalStore> store, DaemonMetrics& metrics, JournalOptions options,
          Environment& environment = system_environment());
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Tries once to write the entries that wait.
  ~Journal() = default;

  // Queues the entry. `number`: of the stream in this process, for the callbacks of JournalOptions.
  // If it throws std::bad_alloc, nothing is queued.
  void append(std::uint64_t number, JournalEntry entry);
  // Queues the entries for one transaction: after a crash, either all are in the journal or none.
  void append(std::uint64_t number, std::vector<JournalEntry> entries);

  // A round of the journal that takes longer counts as a failure.
  static constexpr std::chrono::seconds kMaxRound{10};

  // Returns true if the last transaction failed, or if the store hangs.
  bool failing() const;
  // The progress of the journal's thread, for the watchdog.
  const Breadcrumb& crumb() const noexcept { return crumb_; }

 private:
  TimePoint run_once();
  std::optional<Clock::duration> run_maintenance();
  TimePoint write_waiting();
  bool write_all();
  bool write_transaction();
  void write_skipping_unknown();
  void notify_committed();
  void drop(const UnknownStream& unknown);
  void log_failure(const std::string& why);
  void purge();

  const std::unique_ptr<JournalStore> store_;
  DaemonMetrics& metrics_;
  const JournalOptions options_;
  Environment& environment_;
  std::atomic<bool> failing_{false};  // the last transaction failed
  Breadcrumb crumb_;

  Mutex mutex_;
  std::vector<JournalEntry> waiting_ GUARDED_BY(mutex_);
  std::vector<std::uint64_t> streams_ GUARDED_BY(mutex_);  // of the entries in waiting_

  // Used by the journal's thread alone.
  std::vector<JournalEntry> entries_;
  std::vector<std::uint64_t> entries_streams_;
  // Argument of the next call of JournalOptions::on_committed.
  std::shared_ptr<const std::vector<std::uint64_t>> committed_;
  TimePoint try_next_;  // after a failure
  TimePoint next_purge_;

  std::unique_ptr<Worker> worker_;  // last, because it uses all other members
};

}  // namespace surtitle
