// The journal of all streams, written by a thread of its own: nobody waits for a disk, and what
// waits for it is written in one transaction.
//
// Where the store refuses a transaction (a full disk), it is tried again until it is taken: what
// must be in the journal before it is said is not said meanwhile. That is logged once, counted, and
// seen by failing().
//
// Thread-safety: append() from one thread, failing() from any. The store is used on the journal's
// thread alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "daemon/clock.h"
#include "daemon/daemon_metrics.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

struct JournalOptions {
  // The streams of entries that are stored now, one for each entry, in order. Called on the
  // journal's thread.
  std::function<void(std::vector<std::uint64_t>)> stored;
  Seconds keep{0};  // streams that have ended; 0: for ever
};

class Journal {
 public:
  Journal(std::unique_ptr<JournalStore> store, DaemonMetrics& metrics, JournalOptions options);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Writes what waits, if the store takes it at once.
  ~Journal();

  // `stream` is what `stored` is told.
  void append(std::uint64_t stream, JournalEntry entry);

  // The store does not take what it is given.
  bool failing() const noexcept { return failing_; }

 private:
  void run();
  bool wait_for_work(std::optional<Clock::duration> most);
  bool write_all();
  void tell_failure(const std::string& why);
  void forget();

  const std::unique_ptr<JournalStore> store_;
  DaemonMetrics& metrics_;
  const JournalOptions options_;
  std::atomic<bool> failing_{false};

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<JournalEntry> waiting_;
  std::vector<std::uint64_t> streams_;  // beside waiting_
  bool stopping_ = false;

  // The journal's thread alone.
  std::vector<JournalEntry> entries_;
  std::vector<std::uint64_t> entries_streams_;
  TimePoint forget_next_;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
