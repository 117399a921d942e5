#include "daemon/journal/journal.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "daemon/base/log.h"
#include "daemon/base/try_or_log.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kRetryDelay{200};
constexpr std::chrono::minutes kPurgeInterval{1};
constexpr std::chrono::milliseconds kPurgeMoreDelay{20};  // leaves the disk to the writes

// Marks the beginning and the end of a round in the breadcrumb, also if the round throws.
class Round {
 public:
  Round(Breadcrumb& crumb, const Environment& environment)
      : crumb_(crumb), environment_(environment) {
    crumb_.end_round(/*idle=*/false, environment_.now());
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;
  ~Round() { crumb_.end_round(/*idle=*/true, environment_.now()); }

 private:
  Breadcrumb& crumb_;
  const Environment& environment_;
};

}  // namespace

Journal::Journal(std::unique_ptr<JournalStore> store, DaemonMetrics& metrics,
                 JournalOptions options, Environment& environment)
    : store_(std::move(store)),
      metrics_(metrics),
      options_(std::move(options)),
      environment_(environment) {
  const auto end = [this] {
    try_or_log("Journal store maintenance failed", [this] { store_->run_maintenance(); });
    write_all();
  };
  worker_ = environment.start({[] {}, [this] { return run_once(); }, end});
}

void Journal::append(std::uint64_t number, JournalEntry entry) {
  {
    const MutexLock lock(mutex_);
    streams_.push_back(number);
    try {
      waiting_.push_back(std::move(entry));
    } catch (...) {
      streams_.pop_back();  // both lists must have the same length
      throw;
    }
  }
  worker_->wake();
}

// Entries that are queued under one lock are written in one transaction.
void Journal::append(std::uint64_t number, std::vector<JournalEntry> entries) {
  {
    const MutexLock lock(mutex_);
    waiting_.reserve(waiting_.size() + entries.size());
    streams_.insert(streams_.end(), entries.size(), number);
    waiting_.insert(waiting_.end(), std::make_move_iterator(entries.begin()),
                    std::make_move_iterator(entries.end()));
  }
  worker_->wake();
}

bool Journal::failing() const {
  const Breadcrumb::Seen seen = crumb_.look();
  return failing_ || (!seen.idle && environment_.now() - seen.round_ended > kMaxRound);
}

TimePoint Journal::run_once() {
  const Round round(crumb_, environment_);
  if (environment_.now() < try_next_) {
    return try_next_;
  }
  const std::optional<Clock::duration> again = run_maintenance();
  const TimePoint next = write_waiting();
  return again ? std::min(next, environment_.now() + *again) : next;
}

std::optional<Clock::duration> Journal::run_maintenance() {
  const Breadcrumb::Step step(crumb_, "maintenance of the store", 0, environment_.now());
  return store_->run_maintenance();
}

// Returns the time of the next round, unless an entry arrives before.
TimePoint Journal::write_waiting() {
  const TimePoint now = environment_.now();
  if (!write_all()) {
    try_next_ = now + kRetryDelay;
    return try_next_;
  }
  if (now >= next_purge_) {
    purge();
  }
  return next_purge_;
}

// Entries that could not be written before are written alone, and those that wait after them.
bool Journal::write_all() {
  notify_committed();
  const bool left_over = !entries_.empty();
  return write_transaction() && (!left_over || write_transaction());
}

bool Journal::write_transaction() {
  if (entries_.empty()) {
    const MutexLock lock(mutex_);
    entries_.swap(waiting_);
    entries_streams_.swap(streams_);
  }
  if (entries_.empty()) {
    return true;
  }
  // Allocated first: nothing may fail after the commit.
  const auto written = std::make_shared<std::vector<std::uint64_t>>();
  const TimePoint begin = environment_.now();
  try {
    const Breadcrumb::Step step(crumb_, "writing entries", std::ssize(entries_), begin);
    write_skipping_unknown();
  } catch (const std::exception& failure) {
    log_failure(failure.what());
    return false;
  }
  written->swap(entries_streams_);
  committed_ = written;
  entries_.clear();
  if (failing_.exchange(false)) {
    log(LogLevel::kInfo, "Journal commit succeeded after failures");
  }
  metrics_.journal_written(static_cast<int>(written->size()), environment_.now() - begin);
  notify_committed();
  return true;
}

void Journal::notify_committed() {
  if (committed_) {
    options_.on_committed(committed_);
    committed_.reset();
  }
}

void Journal::write_skipping_unknown() {
  while (!entries_.empty()) {
    try {
      store_->write(entries_);
      return;
    } catch (const UnknownStream& unknown) {
      drop(unknown);
    }
  }
}

// Drops the entries of the stream, up to an entry that begins it again.
void Journal::drop(const UnknownStream& unknown) {
  std::vector<bool> dropped(entries_.size());
  std::set<std::uint64_t> streams;
  bool begun = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool its = entries_[i].stream == unknown.stream();
    begun = begun || (its && entries_[i].begins);
    dropped[i] = its && !begun;
    if (dropped[i]) {
      streams.insert(entries_streams_[i]);
    }
  }
  log(LogLevel::kError, "Journal entries of a stream dropped",
      {{"stream", unknown.stream()}, {"error", unknown.what()}});
  if (options_.on_unknown_stream) {
    std::for_each(streams.begin(), streams.end(), options_.on_unknown_stream);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i]) {
      continue;
    }
    if (kept != i) {
      entries_[kept] = std::move(entries_[i]);
      entries_streams_[kept] = entries_streams_[i];
    }
    ++kept;
  }
  entries_.resize(kept);
  entries_streams_.resize(kept);
}

void Journal::log_failure(const std::string& why) {
  if (!failing_) {
    log(LogLevel::kError, "Journal commit failed; streams wait until it succeeds",
        {{"error", why}});
    failing_ = true;
  }
}

void Journal::purge() {
  next_purge_ = environment_.now() + kPurgeInterval;
  if (options_.retention <= Seconds::zero()) {
    return;
  }
  const Breadcrumb::Step step(crumb_, "purging old streams", 0, environment_.now());
  const auto limit = environment_.calendar_time().time_since_epoch() - options_.retention;
  try {
    if (store_->purge(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count())) {
      next_purge_ = environment_.now() + kPurgeMoreDelay;
    }
  } catch (const std::exception& failure) {
    log(LogLevel::kWarning, "Journal purge failed", {{"error", failure.what()}});
  }
}

}  // namespace surtitle
